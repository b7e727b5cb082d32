import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';

/** The claim with these owners, as it will be. */
export function withOwners(
  claim: PersistentVolumeClaim,
  ownerReferences: readonly OwnerReference[],
): PersistentVolumeClaim {
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } };
}

/** The claim with these annotations beside its own; undefined takes one away. */
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
