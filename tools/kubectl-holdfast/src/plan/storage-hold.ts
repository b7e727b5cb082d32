import { finalizers, hasFinalizer, type PersistentVolume } from '@holdfast/core';
import { ownHolds } from '@holdfast/pv-reclaim-honor/decide';

/** The finalizers that provisioners share for this purpose. */
const shared: readonly string[] = [finalizers.externalProvisioner, finalizers.pvController];

/**
 * Returns whether a finalizer keeps the volume until its storage is deleted: a shared one, or one that
 * pv-reclaim-honor has recorded on the volume as its own, which `--csi-finalizer` names freely.
 */
export function isHeldForStorage(volume: PersistentVolume, csiFinalizer?: string): boolean {
  return shared.some((each) => hasFinalizer(volume, each)) || ownHolds(volume, csiFinalizer).length > 0;
}
