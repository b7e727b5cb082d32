import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';

/** Returns the claim as it will be with these owners. */
export function withOwners(
  claim: PersistentVolumeClaim,
  ownerReferences: readonly OwnerReference[],
): PersistentVolumeClaim {
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } };
}

/** Returns the claim with these annotations added to its own; undefined removes one. */
export function withAnnotations(
  claim: PersistentVolumeClaim,
  changes: Readonly<Record<string, string | undefined>>,
): PersistentVolumeClaim {
  const annotations: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...claim.metadata.annotations, ...changes })) {
    if (value !== undefined) {
      annotations[name] = value;
    }
  }
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}
