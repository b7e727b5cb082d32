import { hasFinalizer, type PersistentVolume } from '@holdfast/core';
import type { Keeper } from '../decide/snapshot.ts';
import { meansDelete, undoFinalizer } from '../decide/undo-window.ts';

/**
 * Returns the keeper with the finalizer that fits the volume's field. The shared finalizers belong to policy
 * Delete: csi-provisioner and kube-controller-manager remove theirs under Retain. So a volume whose field
 * says Retain while Delete is intended only has one of ours; when that no longer applies, ours is the stale
 * one.
 */
export function withUndoFinalizer(keeper: Keeper, volume: PersistentVolume): Keeper {
  if (keeper.kind === 'foreign' || keeper.kind === 'away') {
    return keeper;
  }
  if (meansDelete(volume)) {
    return { ...keeper, finalizer: undoFinalizer, second: undefined, stale: keeper.finalizer };
  }
  return hasFinalizer(volume, undoFinalizer) ? { ...keeper, stale: undoFinalizer } : keeper;
}
