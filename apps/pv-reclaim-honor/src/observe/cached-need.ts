import { keyOf, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import type { Store } from '@holdfast/runtime';
import { claimOf } from './claim-of.ts';
import { needsStorage } from './needs-storage.ts';

/** UID of the claim at the namespace and name of the volume's `claimRef`, by the cache; undefined: it has none. */
export function cachedClaimUid(
  claims: Pick<Store<PersistentVolumeClaim>, 'get'>,
  volume: PersistentVolume,
): string | undefined {
  const claim = claimOf(volume);
  return claim === undefined ? undefined : claims.get(keyOf(claim))?.metadata.uid;
}

export interface CachedNeedOptions {
  readonly claims: Pick<Store<PersistentVolumeClaim>, 'get'>;
  /** Nodes to which the volume is attached. */
  readonly nodesOf: (volume: PersistentVolume) => readonly string[];
  /** Whether the cache has the claims of a namespace. */
  readonly hasClaimsOf: (namespace: string) => boolean;
}

/**
 * Whether the storage must stay for the sake of a volume, by the cache. It changes with the volume, with its claim coming and going, and
 * with its attachments coming and going.
 */
export function createCachedNeed({
  claims,
  nodesOf,
  hasClaimsOf,
}: CachedNeedOptions): (volume: PersistentVolume) => boolean {
  return (volume) =>
    needsStorage(volume, cachedClaimUid(claims, volume)) ||
    nodesOf(volume).length > 0 ||
    // Of claims that are not cached any might be there.
    !hasClaimsOf(claimOf(volume)?.namespace ?? '');
}
