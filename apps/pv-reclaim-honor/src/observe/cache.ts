import type { PersistentVolume, PersistentVolumeClaim } from '@holdfast/core';
import type { Store } from '@holdfast/runtime';
import type { Observation } from '../decide/snapshot.ts';
import { cachedClaimUid } from './cached-need.ts';

export interface CacheObserverOptions {
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** Nodes to which the volume is attached. */
  readonly nodesOf: (volume: PersistentVolume) => readonly string[];
  /** Some of the other volumes whose storage overlaps and that need it; none only if there are none. */
  readonly neededBy: (volume: PersistentVolume) => readonly string[];
}

/**
 * Observes what the cache has of a volume and of what it depends on: enough to do nothing, or to hold it, but not to delete anything.
 *
 * @returns a function of the volume as the cache has it; undefined: it has none.
 */
export function createCacheObserver({
  claims,
  nodesOf,
  neededBy,
}: CacheObserverOptions): (volume: PersistentVolume | undefined) => Observation {
  return (volume) =>
    volume === undefined
      ? { source: 'cache', volume, claimUid: undefined, attachedTo: [], sharedWith: [] }
      : {
          source: 'cache',
          volume,
          claimUid: cachedClaimUid(claims, volume),
          attachedTo: nodesOf(volume),
          sharedWith: neededBy(volume),
        };
}
