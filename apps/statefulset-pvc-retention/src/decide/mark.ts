import type { PersistentVolumeClaim } from '@holdfast/core';

/** Annotation of a claim: when it is deleted, unless it is wanted or used by then (gate DeletionGracePeriod). RFC 3339. */
export const deleteAfterAnnotation = 'holdfast.dev/delete-after';

/** The claim's mark as it is written; undefined: it has none. */
export function markOf({ metadata }: PersistentVolumeClaim): string | undefined {
  return metadata.annotations?.[deleteAfterAnnotation];
}
