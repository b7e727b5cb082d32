import { finalizers, hasFinalizer, type PersistentVolume } from '@holdfast/core';
import { ownHolds, provisionedByAnnotation } from '@holdfast/pv-reclaim-honor/decide';

/** The finalizers that provisioners share for this purpose. */
const shared: readonly string[] = [finalizers.externalProvisioner, finalizers.pvController];

/**
 * Returns whether a finalizer keeps the volume until its storage is deleted: a shared one, or one that
 * pv-reclaim-honor has recorded on the volume as its own, which `--csi-finalizer` names freely.
 */
export function isHeldForStorage(volume: PersistentVolume, csiFinalizer?: string): boolean {
  return shared.some((each) => hasFinalizer(volume, each)) || ownHolds(volume, csiFinalizer).length > 0;
}

/**
 * Returns the finalizers of the volume that only pv-reclaim-honor takes off. A shared one is also taken off by the
 * provisioner that made the volume; kube-controller-manager does so only for volumes that it has made itself.
 */
export function soleHolds(volume: PersistentVolume): readonly string[] {
  const isStaticInTree =
    volume.spec?.csi === undefined && volume.metadata.annotations?.[provisionedByAnnotation] === undefined;
  return ownHolds(volume).filter(
    (each) => !shared.includes(each) || (each === finalizers.pvController && isStaticInTree),
  );
}
