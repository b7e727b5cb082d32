import type { PersistentVolume } from '@holdfast/core';

/**
 * Whether the storage must stay for the sake of this volume: its policy is another than Delete, no claim has had it yet, or its
 * claim lives. An attachment of it is another reason, which is not looked at here.
 *
 * @param claimUid UID of the claim at the namespace and name of its `claimRef`; undefined: there is none.
 */
export function needsStorage({ spec }: PersistentVolume, claimUid: string | undefined): boolean {
  const uid = spec?.claimRef?.uid ?? '';
  return spec?.persistentVolumeReclaimPolicy !== 'Delete' || uid === '' || uid === claimUid;
}
