import type { PersistentVolumeClaim } from '@holdfast/core';

/** Annotation of a claim: when it is deleted, unless it is wanted or used by then (gate DeletionGracePeriod). RFC 3339. */
export const deleteAfterAnnotation = 'holdfast.dev/delete-after';

/** Annotation beside it: UID of the claim that the time was written for. A backup brings annotations back, on another claim. */
export const deleteAfterUidAnnotation = 'holdfast.dev/delete-after-uid';

/** A claim's mark. */
export type Mark =
  | {
      readonly kind: 'valid';
      /** Milliseconds since 1970. */
      readonly due: number;
    }
  /** Written for another claim or for none, or its time can't be read: nothing is deleted by it. */
  | { readonly kind: 'void' };

/** The annotations of a mark, as they are written. */
export function markAnnotations({ metadata }: PersistentVolumeClaim, deleteAfter: string) {
  return { [deleteAfterAnnotation]: deleteAfter, [deleteAfterUidAnnotation]: metadata.uid };
}

/** The claim's mark; undefined: it has none, not even a part of one. */
export function markOf({ metadata }: PersistentVolumeClaim): Mark | undefined {
  const deleteAfter = metadata.annotations?.[deleteAfterAnnotation];
  const uid = metadata.annotations?.[deleteAfterUidAnnotation];
  if (deleteAfter === undefined && uid === undefined) {
    return undefined;
  }
  // Date.parse also reads what is no RFC 3339, and guesses.
  const due = rfc3339.test(deleteAfter ?? '') ? Date.parse(deleteAfter ?? '') : NaN;
  return uid === metadata.uid && !Number.isNaN(due) ? { kind: 'valid', due } : { kind: 'void' };
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/;
