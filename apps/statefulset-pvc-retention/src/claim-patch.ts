import {
  guardedPatch,
  pointer,
  testAbsent,
  type JsonPatch,
  type OwnerReference,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { deleteAfterAnnotation, deleteAfterUidAnnotation, markAnnotations } from './decide/mark.ts';

const ownersPath = pointer('metadata', 'ownerReferences');
const annotationsPath = pointer('metadata', 'annotations');

/** Replaces the claim's owner references, and tests them whole: any change made meanwhile fails the patch. */
export function ownersPatch(claim: PersistentVolumeClaim, references: readonly OwnerReference[]): JsonPatch {
  return guardedPatch(claim, changeOwners(claim, references));
}

/** {@link ownersPatch} without the test of the UID. */
export function changeOwners(claim: PersistentVolumeClaim, references: readonly OwnerReference[]): JsonPatch {
  const present = claim.metadata.ownerReferences ?? [];
  if (present.length === 0) {
    return [testAbsent(ownersPath), { op: 'add', path: ownersPath, value: references }];
  }
  return [
    { op: 'test', path: ownersPath, value: present },
    references.length === 0
      ? { op: 'remove', path: ownersPath }
      : { op: 'replace', path: ownersPath, value: references },
  ];
}

/** Writes the time of deletion beside the annotations there are, on a claim without a mark. */
export function markPatch(claim: PersistentVolumeClaim, deleteAfter: string): JsonPatch {
  const mark = markAnnotations(claim, deleteAfter);
  return claim.metadata.annotations === undefined
    ? guardedPatch(claim, [testAbsent(annotationsPath), { op: 'add', path: annotationsPath, value: mark }])
    : guardedPatch(
        claim,
        Object.entries(mark).flatMap(([name, value]) => [
          testAbsent(annotationPath(name)),
          { op: 'add', path: annotationPath(name), value },
        ]),
      );
}

/** Takes away what there is of a mark. */
export function unmarkPatch(claim: PersistentVolumeClaim): JsonPatch {
  return guardedPatch(claim, removeMark(claim));
}

/** {@link unmarkPatch} without the test of the UID. */
export function removeMark({ metadata }: PersistentVolumeClaim): JsonPatch {
  return [deleteAfterAnnotation, deleteAfterUidAnnotation].flatMap((name): JsonPatch => {
    const value = metadata.annotations?.[name];
    const path = annotationPath(name);
    return value === undefined
      ? []
      : [
          { op: 'test', path, value },
          { op: 'remove', path },
        ];
  });
}

function annotationPath(name: string): string {
  return pointer('metadata', 'annotations', name);
}
