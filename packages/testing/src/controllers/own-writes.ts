import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { Key, Stage } from './controller.ts';

/**
 * What a controller has written for a key and not yet seen in its caches. Until it has, it must not decide
 * again: if the server chooses the names, it would create the same pods a second time. No timer is needed,
 * since the event of the write puts the key back into the queue.
 */
export interface OwnWrites {
  /**
   * Records that the kind was written at this version. Undefined means that the version is unknown, and then
   * it is not waited for.
   */
  note(key: Key, resource: ApiResource<KubernetesObject>, resourceVersion: string | undefined): void;
  /** Whether the caches hold everything that was recorded for the key. */
  areSeen(key: Key): boolean;
}

export function createOwnWrites({ hasSeen }: Stage): OwnWrites {
  const unseen = new Map<Key, Map<ApiResource<KubernetesObject>, string>>();
  return {
    note(key, resource, resourceVersion) {
      const versions = unseen.get(key) ?? new Map<ApiResource<KubernetesObject>, string>();
      const before = versions.get(resource) ?? '0';
      if (resourceVersion !== undefined && Number(before) < Number(resourceVersion)) {
        versions.set(resource, resourceVersion);
        unseen.set(key, versions);
      }
    },
    areSeen(key) {
      for (const [resource, version] of unseen.get(key) ?? []) {
        if (!hasSeen(resource, version)) {
          return false;
        }
      }
      unseen.delete(key);
      return true;
    },
  };
}
