import { keyOf, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import type { Store } from '@holdfast/runtime';
import type { Observation } from '../decide/snapshot.ts';
import { claimOf } from './claim-of.ts';
import { needsStorage } from './needs-storage.ts';

export interface CacheObserverOptions {
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** Nodes to which the volume is attached. */
  readonly nodesOf: (volume: PersistentVolume) => readonly string[];
  /** The other volumes of the same storage volume. */
  readonly sharing: (volume: PersistentVolume) => readonly PersistentVolume[];
  /** Whether the cache has the claims of a namespace. */
  readonly hasClaimsOf: (namespace: string) => boolean;
}

/**
 * Observes what the cache has of a volume and of what it depends on: enough to do nothing, or to hold it, but not to delete anything.
 *
 * @returns a function of the volume as the cache has it; undefined: it has none.
 */
export function createCacheObserver(
  options: CacheObserverOptions,
): (volume: PersistentVolume | undefined) => Observation {
  const { claims, nodesOf, sharing, hasClaimsOf } = options;

  const claimUidOf = (volume: PersistentVolume): string | undefined => {
    const claim = claimOf(volume);
    return claim === undefined ? undefined : claims.get(keyOf(claim))?.metadata.uid;
  };
  const keepsStorage = (volume: PersistentVolume): boolean =>
    needsStorage(volume, claimUidOf(volume)) ||
    nodesOf(volume).length > 0 ||
    // Of claims that are not cached any might be there.
    !hasClaimsOf(claimOf(volume)?.namespace ?? '');

  return (volume) => {
    if (volume === undefined) {
      return { source: 'cache', volume, claimUid: undefined, attachedTo: [], sharedWith: [] };
    }
    return {
      source: 'cache',
      volume,
      claimUid: claimUidOf(volume),
      attachedTo: nodesOf(volume),
      sharedWith: sharing(volume)
        .filter(keepsStorage)
        .map(({ metadata }) => metadata.name),
    };
  };
}
