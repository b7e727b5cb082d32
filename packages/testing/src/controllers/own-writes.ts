import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { Key, Stage } from './controller.ts';

/**
 * What a controller has written for a key and has yet to see in its caches. Until then it must not decide again: with names that the server
 * chooses it would make the same pods a second time. Nothing needs to wake the key, since the write itself will, when its event comes.
 */
export interface OwnWrites {
  /** The kind was written at this version; undefined says that it is unknown, and is not waited for. */
  note(key: Key, resource: ApiResource<KubernetesObject>, resourceVersion: string | undefined): void;
  /** Whether the caches hold all that was noted for the key. */
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
