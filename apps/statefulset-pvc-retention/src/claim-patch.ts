import {
  guardedPatch,
  pointer,
  testAbsent,
  type JsonPatch,
  type OwnerReference,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { deleteAfterAnnotation } from './decide/mark.ts';

const ownersPath = pointer('metadata', 'ownerReferences');
const annotationsPath = pointer('metadata', 'annotations');
const markPath = pointer('metadata', 'annotations', deleteAfterAnnotation);

/** Replaces the claim's owner references, and tests them whole: any change made meanwhile fails the patch. */
export function ownersPatch(claim: PersistentVolumeClaim, references: readonly OwnerReference[]): JsonPatch {
  const present = claim.metadata.ownerReferences ?? [];
  if (present.length === 0) {
    return guardedPatch(claim, [testAbsent(ownersPath), { op: 'add', path: ownersPath, value: references }]);
  }
  return guardedPatch(claim, [
    { op: 'test', path: ownersPath, value: present },
    references.length === 0
      ? { op: 'remove', path: ownersPath }
      : { op: 'replace', path: ownersPath, value: references },
  ]);
}

/** Writes the time of deletion in place of the mark there is, which it tests; all other annotations stay. */
export function markPatch(claim: PersistentVolumeClaim, deleteAfter: string): JsonPatch {
  const { annotations } = claim.metadata;
  if (annotations === undefined) {
    return guardedPatch(claim, [
      testAbsent(annotationsPath),
      { op: 'add', path: annotationsPath, value: { [deleteAfterAnnotation]: deleteAfter } },
    ]);
  }
  const present = annotations[deleteAfterAnnotation];
  return guardedPatch(claim, [
    present === undefined ? testAbsent(markPath) : { op: 'test', path: markPath, value: present },
    { op: 'add', path: markPath, value: deleteAfter },
  ]);
}

/** Removes the mark, which it tests; all other annotations stay. */
export function unmarkPatch(claim: PersistentVolumeClaim): JsonPatch {
  return guardedPatch(claim, [
    { op: 'test', path: markPath, value: claim.metadata.annotations?.[deleteAfterAnnotation] },
    { op: 'remove', path: markPath },
  ]);
}
