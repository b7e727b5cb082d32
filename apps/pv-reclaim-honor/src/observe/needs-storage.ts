import type { PersistentVolume } from '@holdfast/core';
import type { UndoFacts } from '../decide/snapshot.ts';
import { keepsForUndo, policyOf } from '../decide/undo-window.ts';

/**
 * Returns whether the storage must stay because of this volume: its policy is not Delete, no claim has had it
 * yet, its claim exists, or it can still be given back. Its attachments are another reason, which is not
 * considered here.
 *
 * @param claimUid UID of the claim at the namespace and name in its `claimRef`; undefined if there is none.
 */
export function needsStorage(
  volume: PersistentVolume,
  claimUid: string | undefined,
  undo: UndoFacts | undefined,
): boolean {
  const uid = volume.spec?.claimRef?.uid ?? '';
  return (
    // The mode is `reclaim`, since this only matters where storage is deleted.
    policyOf(volume, undo, 'reclaim') !== 'Delete' ||
    uid === '' ||
    uid === claimUid ||
    keepsForUndo(volume, undo)
  );
}
