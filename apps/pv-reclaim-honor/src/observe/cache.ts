import type { PersistentVolume } from '@holdfast/core';
import type { Observation } from '../decide/snapshot.ts';
import type { UndoWindows } from '../undo/undo-windows.ts';
import { isBoundTo } from './bound-claim.ts';
import { cachedBoundElsewhere } from './bound-elsewhere.ts';
import { cachedClaim, type CachedClaims } from './cached-need.ts';

export interface CacheObserverOptions {
  readonly claims: CachedClaims;
  /** Returns the nodes to which the volume is attached. */
  readonly nodesOf: (volume: PersistentVolume) => readonly string[];
  /**
   * Returns some of the other volumes that have overlapping storage and need it; empty only if there are
   * none.
   */
  readonly neededBy: (volume: PersistentVolume) => readonly string[];
  readonly undoWindows: Pick<UndoWindows, 'cached'>;
  /** Returns a namespace whose claims are still to be listed; undefined if there is none. */
  readonly unlisted: () => string | undefined;
}

/**
 * Observes what the cache has about a volume and what it depends on. That is enough to do nothing, or to hold
 * it, but not to delete anything.
 *
 * @returns a function of the volume in the cache; undefined if the cache has none.
 */
export function createCacheObserver({
  claims,
  nodesOf,
  neededBy,
  undoWindows,
  unlisted,
}: CacheObserverOptions): (volume: PersistentVolume | undefined) => Observation {
  return (volume) => {
    if (volume === undefined) {
      return {
        source: 'cache',
        volume,
        claimUid: undefined,
        claimBound: false,
        boundElsewhere: undefined,
        unlisted: undefined,
        attachedTo: [],
        sharedWith: [],
        freeOver: [],
      };
    }
    const claim = cachedClaim(claims, volume);
    return {
      source: 'cache',
      volume,
      claimUid: claim?.metadata.uid,
      claimBound: claim !== undefined && isBoundTo(claim, volume),
      boundElsewhere: cachedBoundElsewhere(claims, volume),
      unlisted: unlisted(),
      attachedTo: nodesOf(volume),
      sharedWith: neededBy(volume),
      // Only the API server knows their newest state, and is asked before anything is deleted.
      freeOver: [],
      undo: undoWindows.cached(volume, claim),
    };
  };
}
