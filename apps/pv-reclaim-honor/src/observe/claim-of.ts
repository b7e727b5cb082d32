import type { ObjectRef, PersistentVolume } from '@holdfast/core';

/** Returns the namespace and name in the volume's `claimRef`; undefined if it names no claim. */
export function claimOf({ spec }: PersistentVolume): ObjectRef | undefined {
  const { namespace = '', name = '' } = spec?.claimRef ?? {};
  return name === '' ? undefined : { namespace, name };
}

/**
 * Like {@link claimOf}, except that only a volume that has never had a claim counts as one without a claim.
 *
 * @returns undefined also if the claim's name is there, and its namespace is not.
 * @throws Error for a `claimRef` with the UID of a claim but without its name or namespace: it is not known
 *   whether that claim exists.
 */
export function claimThatIsNamed(volume: PersistentVolume): ObjectRef | undefined {
  const claim = claimOf(volume);
  const lacks = claim === undefined ? 'name' : claim.namespace === '' ? 'namespace' : undefined;
  if (lacks === undefined) {
    return claim;
  }
  if ((volume.spec?.claimRef?.uid ?? '') !== '') {
    throw new Error(
      `claimRef of volume "${volume.metadata.name}" has no ${lacks}: whether its claim is there is not known; set spec.claimRef.${lacks}`,
    );
  }
  return undefined;
}
