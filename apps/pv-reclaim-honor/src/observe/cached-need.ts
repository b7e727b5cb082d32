import { keyOf, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import type { Store } from '@holdfast/runtime';
import type { UndoWindows } from '../undo/undo-windows.ts';
import { cachedBoundElsewhere, type ClaimsByVolume } from './bound-elsewhere.ts';
import { claimElsewhere, type ClaimsByUid } from './claim-elsewhere.ts';
import { claimOf } from './claim-of.ts';
import { needsStorage } from './needs-storage.ts';

/**
 * Returns the claim with the UID in the volume's `claimRef`, or else the one at its namespace and name, from
 * the cache; undefined if there is neither.
 */
export function cachedClaim(
  claims: CachedClaims,
  volume: PersistentVolume,
): PersistentVolumeClaim | undefined {
  const claim = claimOf(volume);
  return claimElsewhere(claims, volume) ?? (claim === undefined ? undefined : claims.get(keyOf(claim)));
}

export type CachedClaims = Pick<Store<PersistentVolumeClaim>, 'get'> & ClaimsByUid & ClaimsByVolume;

export interface CachedNeedOptions {
  readonly claims: CachedClaims;
  /** Returns the nodes to which the volume is attached. */
  readonly nodesOf: (volume: PersistentVolume) => readonly string[];
  /** Returns whether the cache has the claims of a namespace. */
  readonly hasClaimsOf: (namespace: string) => boolean;
  readonly undoWindows: Pick<UndoWindows, 'cached'>;
}

/** Whether the storage must stay because of a volume, according to the cache. */
export interface CachedNeed {
  /**
   * Returns whether the storage might have to stay; a claim that is not cached counts as existing. The result
   * changes with the volume, and when its claim or an attachment comes or goes, and when a claim is bound to it or no
   * longer is. If it has an undo window, it also
   * changes with time, its class, and claims that ask for it.
   */
  might(volume: PersistentVolume): boolean;
  /** Returns whether the storage has to stay according to what the cache has. */
  does(volume: PersistentVolume): boolean;
}

export function createCachedNeed({
  claims,
  nodesOf,
  hasClaimsOf,
  undoWindows,
}: CachedNeedOptions): CachedNeed {
  const does: CachedNeed['does'] = (volume) => {
    const claim = cachedClaim(claims, volume);
    return (
      needsStorage(volume, claim, undoWindows.cached(volume, claim)) ||
      cachedBoundElsewhere(claims, volume) !== undefined ||
      nodesOf(volume).length > 0
    );
  };
  return { does, might: (volume) => does(volume) || !hasClaimsOf(claimOf(volume)?.namespace ?? '') };
}
