import { keyOf, objectKey, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import type { Store } from '@holdfast/runtime';
import { claimOf } from './claim-of.ts';

/** The claims in the cache, by their UIDs. */
export type ClaimsByUid = Pick<Store<PersistentVolumeClaim>, 'byIndex'>;

/** The index that {@link ClaimsByUid} needs. */
export const claimsByUid = {
  uid: ({ metadata }: PersistentVolumeClaim): readonly string[] => [metadata.uid],
};

/**
 * Returns the claim in the cache that has the UID in the volume's `claimRef`, and another namespace or name;
 * undefined if there is none.
 *
 * The API server lets an administrator change namespace and name in a `claimRef` and leave the UID. The binder
 * then releases the volume, although its claim exists and pods use it.
 */
export function claimElsewhere(
  claims: ClaimsByUid,
  volume: PersistentVolume,
): PersistentVolumeClaim | undefined {
  const uid = volume.spec?.claimRef?.uid ?? '';
  const named = claimOf(volume);
  const key = named === undefined ? undefined : keyOf(named);
  return uid === '' ? undefined : claims.byIndex('uid', uid).find((claim) => objectKey(claim) !== key);
}
