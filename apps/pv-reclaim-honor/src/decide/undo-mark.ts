import { parseTimestamp, type PersistentVolume } from '@holdfast/core';

/** Annotation of a volume: its storage is deleted no sooner (gate ReclaimGracePeriod). RFC 3339. */
const deleteAfterAnnotation = 'holdfast.dev/delete-after';
/** Annotation beside it: UID of the volume that the time was written for. A backup brings annotations back, on another volume. */
const deleteAfterUidAnnotation = 'holdfast.dev/delete-after-uid';
/**
 * Annotation beside it: UID of the claim that the volume was released from. A volume that was bound again while no controller ran, and
 * released again, has a window of its own for that.
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
  /** Written for this release of this volume, but its time can't be read: whoever changed it wanted another time, and which is not known. */
  | { readonly kind: 'unreadable'; readonly text: string }
  /** Written for another volume, or for an earlier release of this one: it says nothing. */
  | { readonly kind: 'foreign' };

/** The annotations of a mark for the volume as it is released now. @param due milliseconds since 1970. */
export function newMark(volume: PersistentVolume, due: number): Readonly<Record<string, string>> {
  return {
    [deleteAfterAnnotation]: new Date(due).toISOString(),
    [deleteAfterUidAnnotation]: volume.metadata.uid,
    [deleteAfterClaimUidAnnotation]: volume.spec?.claimRef?.uid ?? '',
  };
}

/** The volume's mark; undefined: it has none, not even a part of one. */
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
