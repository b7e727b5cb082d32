import type { PersistentVolume } from '@holdfast/core';

/**
 * Annotation of a volume: a deletion of its storage was begun, for it or for another volume over the storage, while
 * no claim had it (gate ReclaimGracePeriod).
 *
 * A driver can continue after its call has timed out, or after the process that made the call has ended. Nobody can
 * tell then what is left of the storage, so that no claim gets the volume back any more.
 */
export const deletionBegunAnnotation = 'holdfast.dev/deletion-begun';

/**
 * Returns what is recorded. It names the volume, since a backup restores annotations on another one, and the claim
 * that it was released from: who binds the volume again by hand has looked at its storage.
 */
export function deletionBegunRecord({ metadata, spec }: PersistentVolume): string {
  return `${metadata.uid}/${spec?.claimRef?.uid ?? ''}`;
}

/** Returns whether a deletion of the volume's storage is recorded as begun since it was released. */
export function isDeletionBegun(volume: PersistentVolume): boolean {
  return volume.metadata.annotations?.[deletionBegunAnnotation] === deletionBegunRecord(volume);
}
