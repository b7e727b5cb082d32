import { persistentVolumes, type PersistentVolume } from '@holdfast/core';
import { quoted } from '@holdfast/runtime';
import { provisionedByAnnotation } from '../decide/held-by.ts';
import type { Keeper, Mode } from '../decide/snapshot.ts';
import { undoMarkOf } from '../decide/undo-mark.ts';
import { meansDelete, reclaimPolicyAnnotation } from '../decide/undo-window.ts';
import { reclaimGraceAnnotation, type Carrier, type WindowRequest } from './window-request.ts';

/**
 * What an administrator should know about an undo window as soon as it is seen, and not only when it is too
 * late.
 */
export interface UndoWarning {
  readonly on: Carrier;
  readonly reason: 'UndoWindowUnusable' | 'UndoWindowNotKept';
  readonly note: string;
}

/**
 * Returns the warning about a volume's undo window, if any.
 *
 * | window  | else                                                        | warning            |
 * |---------|-------------------------------------------------------------|--------------------|
 * | -       | mark of this release that can't be read                     | UndoWindowUnusable |
 * | none    | field Retain, annotation Delete                             | UndoWindowUnusable |
 * | unusable| -                                                           | UndoWindowUnusable |
 * | usable  | field Retain, annotation Delete, mode guard                 | UndoWindowUnusable |
 * | usable  | field Delete, mode guard                                    | UndoWindowNotKept  |
 * | usable  | field Delete, in-tree: kube-controller-manager may delete it| UndoWindowNotKept  |
 * | usable  | field Delete, made by a provisioner, which may delete it    | UndoWindowNotKept  |
 *
 * It cannot be seen from here whether a provisioner is running; the one that created the volume also deletes
 * it, unless it is gone.
 */
export function undoWarningOf(
  volume: PersistentVolume,
  request: WindowRequest,
  keeper: Keeper,
  mode: Mode,
): UndoWarning | undefined {
  if (keeper.kind === 'foreign' || keeper.kind === 'away') {
    return undefined;
  }
  const self: Carrier = { resource: persistentVolumes, object: volume };
  const unusable = (on: Carrier, problem: string): UndoWarning => ({
    on,
    reason: 'UndoWindowUnusable',
    note: `No storage is deleted: ${problem}`,
  });
  const mark = undoMarkOf(volume);
  if (mark?.kind === 'unreadable') {
    return unusable(
      self,
      `annotation holdfast.dev/delete-after is ${quoted(mark.text)}; write a time such as 2026-01-31T12:00:00Z`,
    );
  }
  switch (request.kind) {
    case 'none':
      return meansDelete(volume)
        ? unusable(
            self,
            `annotation ${reclaimPolicyAnnotation} counts only with an undo window; add ${reclaimGraceAnnotation}, or set persistentVolumeReclaimPolicy`,
          )
        : undefined;
    case 'unusable':
      return unusable(request.carrier, request.problem);
    case 'usable': {
      if (meansDelete(volume) && mode === 'guard') {
        return unusable(
          self,
          `annotation ${reclaimPolicyAnnotation} counts only in mode reclaim, and this controller runs in mode guard`,
        );
      }
      const other =
        volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
          ? otherDeleter(volume, keeper.kind, mode)
          : undefined;
      return other === undefined
        ? undefined
        : {
            on: request.carrier,
            reason: 'UndoWindowNotKept',
            note: `The undo window might not hold, for ${other}; for one that holds, set persistentVolumeReclaimPolicy of the volume to Retain and annotate it ${reclaimPolicyAnnotation}=Delete`,
          };
    }
  }
}

/** Returns what else might delete the storage of a volume with policy Delete. */
function otherDeleter(
  { metadata }: PersistentVolume,
  kind: 'csi' | 'inTree',
  mode: Mode,
): string | undefined {
  if (mode === 'guard') {
    return 'in mode guard another provisioner deletes';
  }
  if (kind === 'inTree') {
    return 'kube-controller-manager may delete in-tree volumes';
  }
  const provisioner = metadata.annotations?.[provisionedByAnnotation];
  return provisioner === undefined ? undefined : `the provisioner of ${provisioner} may delete what it made`;
}
