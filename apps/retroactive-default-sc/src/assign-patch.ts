import {
  guardedPatch,
  pointer,
  testAbsent,
  type JsonPatch,
  type JsonPatchOperation,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { claimAnnotations } from './decide.ts';

/**
 * Gives the class to the claim if it still waits: has no class, no volume, neither of the annotations, and is not
 * terminating. Another claim of the name, or one that has been given a class or volume meanwhile, is not touched (422).
 */
export function assignPatch(claim: PersistentVolumeClaim, className: string): JsonPatch {
  const path = pointer('spec', 'storageClassName');
  return guardedPatch(claim, [
    testAbsent(pointer('metadata', 'deletionTimestamp')),
    ...testAnnotationsAbsent(claim),
    testAbsent(path),
    testAbsent(pointer('spec', 'volumeName')),
    { op: 'add', path, value: className },
  ]);
}

/** A `test` of a member fails where the object around it is missing: a claim without annotations must still have none. */
function testAnnotationsAbsent({ metadata }: PersistentVolumeClaim): readonly JsonPatchOperation[] {
  return metadata.annotations === undefined
    ? [testAbsent(pointer('metadata', 'annotations'))]
    : Object.values(claimAnnotations).map((name) => testAbsent(pointer('metadata', 'annotations', name)));
}
