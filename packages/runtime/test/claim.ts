import type { ObjectMeta, PersistentVolumeClaim } from '@holdfast/core';

/** A claim as the API server would have stored it; its UID is its name's unless said otherwise. */
export function claim(
  name: string,
  version: number | string,
  metadata: Partial<ObjectMeta> = {},
): PersistentVolumeClaim {
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-of-${name}`,
      resourceVersion: String(version),
      ...metadata,
    },
  };
}
