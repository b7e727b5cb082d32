import { parseTimestamp, type PersistentVolumeClaim } from '@holdfast/core';
import { parseTie, tieValue, type TiedTo } from './tie.ts';

/** Annotation of a claim: when it is deleted, unless it is wanted or used by then (gate DeletionGracePeriod). RFC 3339. */
export const deleteAfterAnnotation = 'holdfast.dev/delete-after';

/** Annotation beside it: UID of the claim that the time was written for. A backup brings annotations back, on another claim. */
export const deleteAfterUidAnnotation = 'holdfast.dev/delete-after-uid';

/**
 * Annotation beside these, in the form of a tie: the workload that was deleted or, by the other name, that was scaled down. A workload
 * that is made again under the name deletes nothing by the marks of the one before.
 */
export const deleteAfterWorkloadAnnotation = 'holdfast.dev/delete-after-workload';
export const deleteAfterScaleDownAnnotation = 'holdfast.dev/delete-after-scale-down';

export type MarkCause = 'ScaledDown' | 'DeletedWithWorkload';

const workloadAnnotationOf = {
  ScaledDown: deleteAfterScaleDownAnnotation,
  DeletedWithWorkload: deleteAfterWorkloadAnnotation,
} as const satisfies Record<MarkCause, string>;

/** A claim's mark. */
export type Mark =
  | {
      readonly kind: 'valid';
      /** Milliseconds since 1970. */
      readonly due: number;
      readonly cause: MarkCause;
      /** The workload that was deleted or scaled down. */
      readonly workload: TiedTo;
    }
  /** Only its time was taken away, as users do who want to keep the claim. */
  | { readonly kind: 'withdrawn'; readonly cause: MarkCause; readonly workload: TiedTo }
  /** Its time can't be read: whoever wrote it did not mean the time that was there. */
  | { readonly kind: 'unreadable'; readonly cause: MarkCause; readonly workload: TiedTo }
  /** Written for another claim or for none, or for a workload that can't be read: nothing is deleted by it. */
  | { readonly kind: 'void' };

/** The annotations of a mark, as they are written. */
export function markAnnotations({
  claim,
  deleteAfter,
  workload,
  reason,
}: {
  readonly claim: PersistentVolumeClaim;
  readonly deleteAfter: string;
  readonly workload: TiedTo;
  readonly reason: MarkCause;
}): Readonly<Record<string, string>> {
  return {
    [deleteAfterAnnotation]: deleteAfter,
    [deleteAfterUidAnnotation]: claim.metadata.uid,
    [workloadAnnotationOf[reason]]: tieValue(claim, workload),
  };
}

/** Takes away what there is of a mark. */
export const noMark = {
  [deleteAfterAnnotation]: undefined,
  [deleteAfterUidAnnotation]: undefined,
  [deleteAfterWorkloadAnnotation]: undefined,
  [deleteAfterScaleDownAnnotation]: undefined,
} as const;

/** The claim's mark; undefined: it has none, not even a part of one. */
export function markOf(claim: PersistentVolumeClaim): Mark | undefined {
  const { metadata } = claim;
  const {
    [deleteAfterAnnotation]: deleteAfter,
    [deleteAfterUidAnnotation]: uid,
    [deleteAfterWorkloadAnnotation]: deleted,
    [deleteAfterScaleDownAnnotation]: scaled,
  } = metadata.annotations ?? {};
  if ([deleteAfter, uid, deleted, scaled].every((value) => value === undefined)) {
    return undefined;
  }
  if (uid !== metadata.uid || (deleted !== undefined && scaled !== undefined)) {
    return { kind: 'void' };
  }
  const workload = parseTie(claim, deleted ?? scaled ?? '');
  const cause: MarkCause = deleted === undefined ? 'ScaledDown' : 'DeletedWithWorkload';
  if (workload === 'void') {
    return { kind: 'void' };
  }
  if (deleteAfter === undefined) {
    return { kind: 'withdrawn', cause, workload };
  }
  const due = parseTimestamp(deleteAfter);
  return due === undefined
    ? { kind: 'unreadable', cause, workload }
    : { kind: 'valid', due, cause, workload };
}
