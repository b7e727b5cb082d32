import { hasFinalizer, type PersistentVolume } from '@holdfast/core';
import type { Keeper } from '../decide/snapshot.ts';
import { meansDelete, undoFinalizer } from '../decide/undo-window.ts';

/**
 * The keeper with the finalizer that fits the volume's field. The shared finalizers belong to policy Delete: csi-provisioner and
 * kube-controller-manager take theirs off under Retain. So a volume whose field says Retain, and that means Delete, has one of ours
 * alone; and where that is no longer so, it is the stale one.
 */
export function withUndoFinalizer(keeper: Keeper, volume: PersistentVolume): Keeper {
  if (keeper.kind === 'foreign' || keeper.kind === 'away') {
    return keeper;
  }
  if (meansDelete(volume)) {
    return { ...keeper, finalizer: undoFinalizer, stale: keeper.finalizer };
  }
  return hasFinalizer(volume, undoFinalizer) ? { ...keeper, stale: undoFinalizer } : keeper;
}
