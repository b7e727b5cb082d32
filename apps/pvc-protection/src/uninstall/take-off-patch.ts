import {
  finalizers,
  pointer,
  removeFinalizerPatch,
  testAbsent,
  type JsonPatch,
  type PersistentVolumeClaim,
} from '@holdfast/core';

/**
 * Returns the patch that removes the finalizer from a claim, unless its deletion was requested. Whether a
 * terminating claim can go is another question, for which this patch fails (422).
 */
export function takeOffPatch(claim: PersistentVolumeClaim): JsonPatch {
  return [
    testAbsent(pointer('metadata', 'deletionTimestamp')),
    ...removeFinalizerPatch(claim, finalizers.pvcProtection),
  ];
}
