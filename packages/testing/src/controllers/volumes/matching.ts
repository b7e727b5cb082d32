import type { PersistentVolume, PersistentVolumeClaim } from '@holdfast/core';
import { compareQuantities, matcherOf } from '@holdfast/apiserver';

/**
 * Whether a volume's claimRef names this claim: by UID, or by name alone if it has no UID (bound in advance).
 */
export function isReservedFor(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const reference = volume.spec?.claimRef;
  return (
    reference !== undefined &&
    reference.namespace === claim.metadata.namespace &&
    reference.name === claim.metadata.name &&
    ((reference.uid ?? '') === '' || reference.uid === claim.metadata.uid)
  );
}

/** The class that a claim asks for or that a volume has; the empty string for none. */
export function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
}

/**
 * The volume that fits the claim best: one reserved for it, otherwise the smallest free one; undefined if
 * none fits.
 */
export function bestMatch(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const fitting = volumes.filter((volume) => fits(volume, claim));
  const reserved = fitting.find((volume) => isReservedFor(volume, claim));
  if (reserved !== undefined) {
    return reserved;
  }
  const selector = claim.spec?.selector;
  const isSelected = (volume: PersistentVolume): boolean =>
    selector === undefined ||
    matcherOf({
      matchLabels: { ...selector.matchLabels },
      matchExpressions: (selector.matchExpressions ?? []).map(({ key, operator, values }) => ({
        key,
        operator,
        values: [...(values ?? [])],
      })),
    })({ ...volume.metadata.labels });
  const [smallest] = fitting
    .filter(
      (volume) =>
        volume.spec?.claimRef === undefined && volume.status?.phase === 'Available' && isSelected(volume),
    )
    .sort((a, b) => compareQuantities(sizeOf(a), sizeOf(b)) || (a.metadata.name < b.metadata.name ? -1 : 1));
  return smallest;
}

function fits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { accessModes = [], volumeMode = 'Filesystem' } = claim.spec ?? {};
  const requested = claim.spec?.resources?.requests?.['storage'] ?? '0';
  return (
    volume.metadata.deletionTimestamp === undefined &&
    compareQuantities(sizeOf(volume), requested) >= 0 &&
    classOf(volume) === classOf(claim) &&
    (volume.spec?.volumeMode ?? 'Filesystem') === volumeMode &&
    accessModes.every((mode) => volume.spec?.accessModes?.includes(mode))
  );
}

function sizeOf(volume: PersistentVolume): string {
  return volume.spec?.capacity?.['storage'] ?? '0';
}
