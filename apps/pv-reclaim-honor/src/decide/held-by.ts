import { finalizers, hasFinalizer, isTerminating, type PersistentVolume } from '@holdfast/core';
import { undoFinalizer } from './undo-window.ts';
import type { OurKeeper } from './snapshot.ts';

/**
 * Names the finalizer that a process of this app has put on the volume, so that it is known as ours even if
 * the flags change.
 */
export const heldByAnnotation = 'holdfast.dev/held-by';
/** The provisioner that created the volume's storage; absent on volumes that a user created. */
export const provisionedByAnnotation = 'pv.kubernetes.io/provisioned-by';

/**
 * Returns what is recorded on the volume: the finalizer that this app has added, whether or not it is still there, or
 * that its storage is deleted (see {@link deletedRecord}); undefined if there is no record.
 */
export function recordedHold({ metadata }: PersistentVolume): string | undefined {
  return metadata.annotations?.[heldByAnnotation];
}

/**
 * Holds hostPath volumes that kube-controller-manager lets go of too early: it removes
 * `kubernetes.io/pv-controller` from every released volume with `/tmp/` in its path, after it has removed that
 * folder where kube-controller-manager itself runs, or found none there (`hostPathDeleter` and
 * `doDeleteVolume`, 1.31 and 1.36).
 */
export const hostPathFinalizer = 'holdfast.dev/host-path';

/** Finalizers that mean that the storage is still to be deleted. */
const deleters: readonly string[] = [finalizers.externalProvisioner, finalizers.pvController];

/**
 * Returns whether others use the finalizer for another purpose: Kubernetes' own, such as pv-protection, and
 * external-attacher's.
 */
export function isOfOthers(finalizer: string): boolean {
  return (
    !deleters.includes(finalizer) && /^([^/]+\.)?(kubernetes|k8s)\.io\/|^external-attacher\//.test(finalizer)
  );
}

/**
 * Returns the record of a volume whose storage is deleted, in place of its finalizer: others' finalizers can keep the
 * object. It names the volume, since a backup restores annotations on another one.
 */
export function deletedRecord({ metadata }: PersistentVolume): string {
  return `deleted/${metadata.uid}`;
}

/** Returns whether the storage of the volume, and not of one of its name before, is recorded as deleted. */
export function isStorageDeleted(volume: PersistentVolume): boolean {
  return isTerminating(volume) && recordedHold(volume) === deletedRecord(volume);
}

/** Returns the recorded finalizer, unless this app cannot have added it; then the record is wrong. */
function credibleHold(volume: PersistentVolume): string | undefined {
  const recorded = recordedHold(volume);
  return recorded === undefined || isOfOthers(recorded) ? undefined : recorded;
}

/**
 * Returns the finalizers that hold the volume until its keeper has deleted the storage. Another provisioner
 * might have added them, but they have to go once there is nothing left to wait for.
 */
export function heldBy(volume: PersistentVolume, { finalizer, stale }: OurKeeper): readonly string[] {
  return present(volume, [finalizer, hostPathFinalizer, stale, credibleHold(volume)]);
}

/**
 * Returns the finalizers of the volume that only this app can have added:
 * - the recorded one, unless it is known to belong to others;
 * - those of volumes with an undo window and of hostPath volumes, which nobody else uses;
 * - one that only `--csi-finalizer` can have named, because it is none of Kubernetes' own;
 * - the in-tree one of an in-tree volume without `provisioned-by`, to which kube-controller-manager never
 *   adds it (modifyDeletionFinalizers in pv_controller_base.go, 1.31 and 1.36).
 *
 * @param csiFinalizer that of `--csi-finalizer`; undefined: it is not considered.
 */
export function ownHolds(volume: PersistentVolume, csiFinalizer?: string): readonly string[] {
  const shared: readonly string[] = Object.values(finalizers);
  return present(volume, [
    credibleHold(volume),
    undoFinalizer,
    hostPathFinalizer,
    csiFinalizer === undefined || shared.includes(csiFinalizer) ? undefined : csiFinalizer,
    isStatic(volume) && volume.spec?.csi === undefined ? finalizers.pvController : undefined,
  ]);
}

/** Returns whether a user created it rather than a provisioner. */
export function isStatic({ metadata }: PersistentVolume): boolean {
  return metadata.annotations?.[provisionedByAnnotation] === undefined;
}

function present(volume: PersistentVolume, candidates: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(candidates)].filter(
    (each) => each !== undefined && hasFinalizer(volume, each),
  ) as string[];
}
