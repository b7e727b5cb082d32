import type { KubernetesObject, ObjectMeta } from '@holdfast/core';

/** An object as the API server would have stored it, with the metadata that the test is about. */
export function stored(metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  return {
    metadata: { name: 'data-web-0', namespace: 'shop', uid: 'uid-1', resourceVersion: '7', ...metadata },
  };
}
