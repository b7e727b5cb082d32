import type { PersistentVolume } from '@holdfast/core';
import type { UndoFacts } from '../decide/snapshot.ts';
import { keepsForUndo, policyOf } from '../decide/undo-window.ts';

/**
 * Whether the storage must stay for the sake of this volume: its policy is another than Delete, no claim has had it yet, its
 * claim lives, or it can still be had back. An attachment of it is another reason, which is not looked at here.
 *
 * @param claimUid UID of the claim at the namespace and name of its `claimRef`; undefined: there is none.
 */
export function needsStorage(
  volume: PersistentVolume,
  claimUid: string | undefined,
  undo: UndoFacts | undefined,
): boolean {
  const uid = volume.spec?.claimRef?.uid ?? '';
  return (
    // Whose storage must stay is only asked where storage is deleted.
    policyOf(volume, undo, 'reclaim') !== 'Delete' ||
    uid === '' ||
    uid === claimUid ||
    keepsForUndo(volume, undo)
  );
}
