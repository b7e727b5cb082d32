import {
  guardedPatch,
  pointer,
  testAbsent,
  type JsonPatch,
  type OwnerReference,
  type PersistentVolumeClaim,
} from '@holdfast/core';

const ownersPath = pointer('metadata', 'ownerReferences');
const annotationsPath = pointer('metadata', 'annotations');

/** The new values by name; undefined removes the annotation. */
export type AnnotationChanges = Readonly<Record<string, string | undefined>>;

/**
 * Returns a patch that replaces the claim's owner references. It tests the whole list, so any change made
 * meanwhile fails the patch.
 */
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

/** Returns a patch that changes these annotations of the claim, and tests the current value of each. */
export function annotationsPatch(claim: PersistentVolumeClaim, changes: AnnotationChanges): JsonPatch {
  return guardedPatch(claim, changeAnnotations(claim, changes));
}

/** {@link annotationsPatch} without the test of the UID. */
export function changeAnnotations(
  { metadata }: PersistentVolumeClaim,
  changes: AnnotationChanges,
): JsonPatch {
  const { annotations } = metadata;
  if (annotations === undefined) {
    return [testAbsent(annotationsPath), { op: 'add', path: annotationsPath, value: changes }];
  }
  return Object.entries(changes).flatMap(([name, value]): JsonPatch => {
    const path = pointer('metadata', 'annotations', name);
    const present = annotations[name];
    if (present === undefined) {
      return value === undefined ? [] : [testAbsent(path), { op: 'add', path, value }];
    }
    return [
      { op: 'test', path, value: present },
      value === undefined ? { op: 'remove', path } : { op: 'replace', path, value },
    ];
  });
}
