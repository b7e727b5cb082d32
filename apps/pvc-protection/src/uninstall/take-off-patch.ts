import {
  finalizers,
  pointer,
  removeFinalizerPatch,
  testAbsent,
  type JsonPatch,
  type PersistentVolumeClaim,
} from '@holdfast/core';

/**
 * Takes the finalizer off a claim as long as nobody has asked for its deletion: whether a terminating one can go is another question,
 * and this patch does not answer it (422).
 */
export function takeOffPatch(claim: PersistentVolumeClaim): JsonPatch {
  return [
    testAbsent(pointer('metadata', 'deletionTimestamp')),
    ...removeFinalizerPatch(claim, finalizers.pvcProtection),
  ];
}
