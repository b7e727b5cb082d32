import type { PersistentVolumeClaim } from '@holdfast/core';
import { parseTie, tieValue, type TiedTo } from './tie.ts';

/** Annotation of a claim: when it is deleted, unless it is wanted or used by then (gate DeletionGracePeriod). RFC 3339. */
export const deleteAfterAnnotation = 'holdfast.dev/delete-after';

/** Annotation beside it: UID of the claim that the time was written for. A backup brings annotations back, on another claim. */
export const deleteAfterUidAnnotation = 'holdfast.dev/delete-after-uid';

/** Annotation beside these where the claim's workload was deleted, in the form of a tie; on scale-down there is none. */
export const deleteAfterWorkloadAnnotation = 'holdfast.dev/delete-after-workload';

/** A claim's mark. */
export type Mark =
  | {
      readonly kind: 'valid';
      /** Milliseconds since 1970. */
      readonly due: number;
      /** The workload that was deleted; undefined: the ordinal was scaled down. */
      readonly workload: TiedTo | undefined;
    }
  /** Written for another claim or for none, or its time can't be read: nothing is deleted by it. */
  | { readonly kind: 'void' };

/**
 * The annotations of a mark, as they are written.
 *
 * @param workload that was deleted; undefined: the ordinal was scaled down
 */
export function markAnnotations(
  claim: PersistentVolumeClaim,
  deleteAfter: string,
  workload: TiedTo | undefined,
): Readonly<Record<string, string>> {
  return {
    [deleteAfterAnnotation]: deleteAfter,
    [deleteAfterUidAnnotation]: claim.metadata.uid,
    ...(workload === undefined ? {} : { [deleteAfterWorkloadAnnotation]: tieValue(claim, workload) }),
  };
}

/** Takes away what there is of a mark. */
export const noMark = {
  [deleteAfterAnnotation]: undefined,
  [deleteAfterUidAnnotation]: undefined,
  [deleteAfterWorkloadAnnotation]: undefined,
} as const;

/** The claim's mark; undefined: it has none, not even a part of one. */
export function markOf(claim: PersistentVolumeClaim): Mark | undefined {
  const { metadata } = claim;
  const deleteAfter = metadata.annotations?.[deleteAfterAnnotation];
  const uid = metadata.annotations?.[deleteAfterUidAnnotation];
  const deleted = metadata.annotations?.[deleteAfterWorkloadAnnotation];
  if (deleteAfter === undefined && uid === undefined && deleted === undefined) {
    return undefined;
  }
  // Date.parse also reads what is no RFC 3339, and guesses.
  const due = rfc3339.test(deleteAfter ?? '') ? Date.parse(deleteAfter ?? '') : NaN;
  const workload = deleted === undefined ? undefined : parseTie(claim, deleted);
  return uid === metadata.uid && !Number.isNaN(due) && workload !== 'void'
    ? { kind: 'valid', due, workload }
    : { kind: 'void' };
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/;
