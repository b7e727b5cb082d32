import type { PersistentVolume, PersistentVolumeClaim } from '@holdfast/core';
import type { Store } from '@holdfast/runtime';
import type { Observation } from '../decide/snapshot.ts';
import type { UndoWindows } from '../undo/undo-windows.ts';
import { cachedClaim } from './cached-need.ts';

export interface CacheObserverOptions {
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** Nodes to which the volume is attached. */
  readonly nodesOf: (volume: PersistentVolume) => readonly string[];
  /** Some of the other volumes whose storage overlaps and that need it; none only if there are none. */
  readonly neededBy: (volume: PersistentVolume) => readonly string[];
  readonly undoWindows: Pick<UndoWindows, 'cached'>;
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
  undoWindows,
}: CacheObserverOptions): (volume: PersistentVolume | undefined) => Observation {
  return (volume) => {
    if (volume === undefined) {
      return { source: 'cache', volume, claimUid: undefined, attachedTo: [], sharedWith: [] };
    }
    const claim = cachedClaim(claims, volume);
    return {
      source: 'cache',
      volume,
      claimUid: claim?.metadata.uid,
      attachedTo: nodesOf(volume),
      sharedWith: neededBy(volume),
      undo: undoWindows.cached(volume, claim),
    };
  };
}
