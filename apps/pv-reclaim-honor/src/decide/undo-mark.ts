import { parseTimestamp, type PersistentVolume } from '@holdfast/core';

/**
 * Annotation of a volume: its storage is not deleted before this time (gate ReclaimGracePeriod). RFC 3339.
 */
const deleteAfterAnnotation = 'holdfast.dev/delete-after';
/**
 * Annotation next to it: UID of the volume that the time was written for. A backup restores annotations on
 * another volume.
 */
const deleteAfterUidAnnotation = 'holdfast.dev/delete-after-uid';
/**
 * Annotation next to it: UID of the claim that released the volume. If a volume was bound and released again
 * while no controller ran, that release gets a window of its own.
 */
const deleteAfterClaimUidAnnotation = 'holdfast.dev/delete-after-claim-uid';

/** The annotations of a mark. */
export const markAnnotations = [
  deleteAfterAnnotation,
  deleteAfterUidAnnotation,
  deleteAfterClaimUidAnnotation,
] as const;

/** A volume's mark. */
export type UndoMark =
  | {
      readonly kind: 'valid';
      /** Milliseconds since 1970. */
      readonly due: number;
    }
  /**
   * Written for this release of this volume, but its time cannot be parsed: somebody wanted another time, and
   * it is unknown which.
   */
  | { readonly kind: 'unreadable'; readonly text: string }
  /** Written for another volume, or for an earlier release of this one; it means nothing. */
  | { readonly kind: 'foreign' };

/**
 * Returns the annotations of a mark for the current release of the volume.
 *
 * @param due milliseconds since 1970.
 */
export function newMark(volume: PersistentVolume, due: number): Readonly<Record<string, string>> {
  return {
    [deleteAfterAnnotation]: new Date(due).toISOString(),
    [deleteAfterUidAnnotation]: volume.metadata.uid,
    [deleteAfterClaimUidAnnotation]: volume.spec?.claimRef?.uid ?? '',
  };
}

/** Returns the volume's mark; undefined if it has no part of one. */
export function undoMarkOf({ metadata, spec }: PersistentVolume): UndoMark | undefined {
  const [deleteAfter, uid, claimUid] = markAnnotations.map((name) => metadata.annotations?.[name]);
  if (deleteAfter === undefined && uid === undefined && claimUid === undefined) {
    return undefined;
  }
  if (uid !== metadata.uid || claimUid !== (spec?.claimRef?.uid ?? '')) {
    return { kind: 'foreign' };
  }
  const due = parseTimestamp(deleteAfter ?? '');
  return due === undefined ? { kind: 'unreadable', text: deleteAfter ?? '' } : { kind: 'valid', due };
}
