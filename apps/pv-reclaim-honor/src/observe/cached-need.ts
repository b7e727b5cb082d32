import { keyOf, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import type { Store } from '@holdfast/runtime';
import type { UndoWindows } from '../undo/undo-windows.ts';
import { claimOf } from './claim-of.ts';
import { needsStorage } from './needs-storage.ts';

/** The claim at the namespace and name of the volume's `claimRef`, by the cache; undefined: it has none. */
export function cachedClaim(
  claims: Pick<Store<PersistentVolumeClaim>, 'get'>,
  volume: PersistentVolume,
): PersistentVolumeClaim | undefined {
  const claim = claimOf(volume);
  return claim === undefined ? undefined : claims.get(keyOf(claim));
}

export interface CachedNeedOptions {
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** Nodes to which the volume is attached. */
  readonly nodesOf: (volume: PersistentVolume) => readonly string[];
  /** Whether the cache has the claims of a namespace. */
  readonly hasClaimsOf: (namespace: string) => boolean;
  readonly undoWindows: Pick<UndoWindows, 'cached'>;
}

/** Whether the storage must stay for the sake of a volume, by the cache. */
export interface CachedNeed {
  /**
   * By all that might be: of a claim that is not cached, that it lives. It changes with the volume, with its claim coming and going, and
   * with its attachments coming and going; where it has an undo window, also with time, its class, and claims that ask for it.
   */
  might(volume: PersistentVolume): boolean;
  /** By what the cache has. */
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
      needsStorage(volume, claim?.metadata.uid, undoWindows.cached(volume, claim)) ||
      nodesOf(volume).length > 0
    );
  };
  return { does, might: (volume) => does(volume) || !hasClaimsOf(claimOf(volume)?.namespace ?? '') };
}
