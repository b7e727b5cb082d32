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
 * Returns the patch that gives the claim the class if it still waits: it has no class, no volume, and neither
 * of the annotations, and is not terminating. Another claim of that name, or one that has got a class or
 * volume meanwhile, is not changed (422).
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

/**
 * A `test` of a member fails if the object around it is missing, so a claim without annotations must still
 * have none.
 */
function testAnnotationsAbsent({ metadata }: PersistentVolumeClaim): readonly JsonPatchOperation[] {
  return metadata.annotations === undefined
    ? [testAbsent(pointer('metadata', 'annotations'))]
    : Object.values(claimAnnotations).map((name) => testAbsent(pointer('metadata', 'annotations', name)));
}
