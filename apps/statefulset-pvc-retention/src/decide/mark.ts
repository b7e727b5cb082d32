import { parseTimestamp, type PersistentVolumeClaim } from '@holdfast/core';
import { parseTie, tieValue, type TiedTo } from './tie.ts';

/**
 * Annotation of a claim: when it is deleted, unless it is wanted or used by then (gate DeletionGracePeriod).
 * RFC 3339.
 */
export const deleteAfterAnnotation = 'holdfast.dev/delete-after';

/**
 * Annotation next to it: UID of the claim that the time was written for. A backup restores annotations on
 * another claim.
 */
export const deleteAfterUidAnnotation = 'holdfast.dev/delete-after-uid';

/**
 * Annotation next to these, a tie followed by the time of the mark: the workload that was deleted, or, under the
 * second name, scaled down. A workload that is created again under that name deletes nothing because of marks of the
 * previous one. And the window is never over before that time, whatever others write as the time: a tool that has
 * {@link deleteAfterAnnotation} in Git would write that of an earlier scale-down again. Up to release 0.1 there was no
 * such time.
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
      /** Milliseconds since 1970: the time of the annotation, and not before the one that the mark was written with. */
      readonly due: number;
      readonly cause: MarkCause;
      /** The workload that was deleted or scaled down. */
      readonly workload: TiedTo;
    }
  /** Only its time was removed, as users do who want to keep the claim. */
  | { readonly kind: 'withdrawn'; readonly cause: MarkCause; readonly workload: TiedTo }
  /** Its time cannot be parsed: whoever changed it did not mean the previous time. */
  | { readonly kind: 'unreadable'; readonly cause: MarkCause; readonly workload: TiedTo }
  /** Written for another claim or for none, or for an unreadable workload: it causes no deletion. */
  | { readonly kind: 'void' };

/** Returns the annotations of a mark to write. */
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
    [workloadAnnotationOf[reason]]: `${tieValue(claim, workload)}/${deleteAfter}`,
  };
}

/** Removes what there is of a mark. */
export const noMark = {
  [deleteAfterAnnotation]: undefined,
  [deleteAfterUidAnnotation]: undefined,
  [deleteAfterWorkloadAnnotation]: undefined,
  [deleteAfterScaleDownAnnotation]: undefined,
} as const;

/** Returns the claim's mark; undefined if it has no part of one. */
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
  const binding = parseBinding(claim, deleted ?? scaled ?? '');
  const cause: MarkCause = deleted === undefined ? 'ScaledDown' : 'DeletedWithWorkload';
  if (binding === 'void') {
    return { kind: 'void' };
  }
  const { workload, notBefore } = binding;
  if (deleteAfter === undefined) {
    return { kind: 'withdrawn', cause, workload };
  }
  const due = parseTimestamp(deleteAfter);
  return due === undefined
    ? { kind: 'unreadable', cause, workload }
    : { kind: 'valid', due: Math.max(due, notBefore), cause, workload };
}

/** The annotations of a claim, or those of a mark that is to be written to it. */
export type MarkAnnotations = Readonly<Record<string, string | undefined>>;

/**
 * Returns what stays the same of the claim's mark whatever time others write, and differs between marks of this
 * program; undefined if it has no part of one. Marks of earlier releases for the same workload have the same.
 */
export function markId(claim: PersistentVolumeClaim): string | undefined {
  return markOf(claim) === undefined ? undefined : markIdOf(claim.metadata.annotations ?? {});
}

/** {@link markId} of a claim with these annotations. */
export function markIdOf(annotations: MarkAnnotations): string {
  return JSON.stringify([
    annotations[deleteAfterWorkloadAnnotation],
    annotations[deleteAfterScaleDownAnnotation],
  ]);
}

/**
 * Returns whether a mark of the claim was replaced by one that was written before it: this program writes none over
 * another, so it was written again by others, or came back from a backup. One for the scale-down of another workload
 * has no effect anyway.
 */
export function isOlderMark(before: PersistentVolumeClaim, after: PersistentVolumeClaim): boolean {
  return Object.values(workloadAnnotationOf).some((name) => {
    const [was, is] = [before, after].map((claim) =>
      parseBinding(claim, claim.metadata.annotations?.[name] ?? ''),
    );
    return (
      typeof was === 'object' &&
      typeof is === 'object' &&
      is.notBefore < was.notBefore &&
      (name === deleteAfterWorkloadAnnotation || was.workload.uid === is.workload.uid)
    );
  });
}

interface Binding {
  readonly workload: TiedTo;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
}

/** @returns `void` if it was written for another claim, or cannot be parsed. */
function parseBinding(claim: PersistentVolumeClaim, value: string): Binding | 'void' {
  const parts = value.split('/');
  const [time, ...more] = parts.splice(4);
  const workload = parseTie(claim, parts.join('/'));
  const notBefore = time === undefined ? -Infinity : parseTimestamp(time);
  return workload === 'void' || notBefore === undefined || more.length > 0 ? 'void' : { workload, notBefore };
}
