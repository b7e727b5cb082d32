import type { PersistentVolume, PersistentVolumeClaim } from '@holdfast/core';
import type { UndoFacts } from '../decide/snapshot.ts';
import { keepsForUndo, policyOf } from '../decide/undo-window.ts';
import { isBoundTo } from './bound-claim.ts';

/**
 * Returns whether the storage must stay because of this volume: its policy is not Delete, no claim has had it
 * yet, its claim exists, another of that name is bound to it, or it can still be given back. Claims of other names that
 * are bound to it, and its attachments, are further reasons, which are not considered here.
 *
 * @param claim the one with the UID in its `claimRef`, or else the one at that namespace and name; undefined if
 *   there is neither.
 */
export function needsStorage(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
  undo: UndoFacts | undefined,
): boolean {
  const uid = volume.spec?.claimRef?.uid ?? '';
  return (
    // The mode is `reclaim`, since this only matters where storage is deleted.
    policyOf(volume, undo, 'reclaim') !== 'Delete' ||
    uid === '' ||
    (claim !== undefined && (claim.metadata.uid === uid || isBoundTo(claim, volume))) ||
    keepsForUndo(volume, undo)
  );
}
