import type { PersistentVolume, PersistentVolumeClaim } from '@holdfast/core';

/** Annotation of a claim that the binder has bound to the volume in its `spec.volumeName`. */
export const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed';

/**
 * Returns whether the claim says that it is bound to the volume, whatever UID is in the volume's `claimRef`.
 *
 * The API server lets an administrator change that UID, and a backup can bring back a volume with the UID of a
 * claim that is gone. The binder then releases the volume and calls the claim Lost, although pods might use it. A
 * claim that was only just created, and asks for the volume, lacks the annotation.
 */
export function isBoundTo(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  return boundVolumeOf(claim) === volume.metadata.name;
}

/** Returns the name of the volume to which the claim says that it is bound; undefined if it says that of none. */
export function boundVolumeOf({ metadata, spec }: PersistentVolumeClaim): string | undefined {
  return metadata.annotations?.[bindCompletedAnnotation] === undefined ? undefined : spec?.volumeName;
}
