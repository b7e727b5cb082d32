import { finalizers, hasFinalizer, type PersistentVolume } from '@holdfast/core';
import { undoFinalizer } from './undo-window.ts';
import type { OurKeeper } from './snapshot.ts';

/** Names the finalizer that a process of this app has put on the volume, so that it is known as ours whatever the flags say later. */
export const heldByAnnotation = 'holdfast.dev/held-by';
/** The provisioner that created the volume's storage; absent on volumes that a user made. */
export const provisionedByAnnotation = 'pv.kubernetes.io/provisioned-by';

/** The finalizer that is recorded on the volume as put on by this app, whether or not it is still there; undefined: none is. */
export function recordedHold({ metadata }: PersistentVolume): string | undefined {
  return metadata.annotations?.[heldByAnnotation];
}

/** Finalizers that say that the storage is still to be deleted. */
const deleters: readonly string[] = [finalizers.externalProvisioner, finalizers.pvController];

/** Whether somebody else waits for the finalizer, for another reason: Kubernetes' own, such as pv-protection, and external-attacher's. */
export function isOfOthers(finalizer: string): boolean {
  return (
    !deleters.includes(finalizer) && /^([^/]+\.)?(kubernetes|k8s)\.io\/|^external-attacher\//.test(finalizer)
  );
}

/** The recorded finalizer, unless this app can't have put it on: whoever wrote that record was mistaken. */
function credibleHold(volume: PersistentVolume): string | undefined {
  const recorded = recordedHold(volume);
  return recorded === undefined || isOfOthers(recorded) ? undefined : recorded;
}

/**
 * The finalizers of the volume that hold it until its keeper has deleted the storage. Another provisioner might have put them there,
 * and they are to go nevertheless once there is nothing left to wait for.
 */
export function heldBy(volume: PersistentVolume, { finalizer, stale }: OurKeeper): readonly string[] {
  return present(volume, [finalizer, stale, credibleHold(volume)]);
}

/**
 * The finalizers of the volume that this app has put there, and nobody else:
 * - the recorded one, unless it is known as somebody else's;
 * - that of volumes with an undo window, which nobody else knows;
 * - one that only `--csi-finalizer` can have named, being none of Kubernetes' own;
 * - the in-tree one of an in-tree volume without `provisioned-by`, on which kube-controller-manager never puts it
 *   (modifyDeletionFinalizers in pv_controller_base.go, 1.31 and 1.36).
 *
 * @param csiFinalizer that of `--csi-finalizer`; undefined: not of interest.
 */
export function ownHolds(volume: PersistentVolume, csiFinalizer?: string): readonly string[] {
  const shared: readonly string[] = Object.values(finalizers);
  return present(volume, [
    credibleHold(volume),
    undoFinalizer,
    csiFinalizer === undefined || shared.includes(csiFinalizer) ? undefined : csiFinalizer,
    isStatic(volume) && volume.spec?.csi === undefined ? finalizers.pvController : undefined,
  ]);
}

/** A user made it, no provisioner. */
export function isStatic({ metadata }: PersistentVolume): boolean {
  return metadata.annotations?.[provisionedByAnnotation] === undefined;
}

function present(volume: PersistentVolume, candidates: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(candidates)].filter(
    (each) => each !== undefined && hasFinalizer(volume, each),
  ) as string[];
}
