import {
  finalizers,
  pointer,
  removeFinalizerPatch,
  type JsonPatch,
  type PersistentVolumeClaim,
} from '@holdfast/core';

/**
 * Lets a terminating claim go, as long as it is terminating, and since the same moment. A deletion can't be taken back, except by a
 * restore of etcd from a backup: the claim then has its UID and its finalizer, nobody has asked for its deletion any more, and a cache
 * that does not know that yet would leave it unprotected (422 instead).
 *
 * @param claim terminating, with the finalizer.
 * @throws Error when the finalizer is not there.
 */
export function releasePatch(claim: PersistentVolumeClaim): JsonPatch {
  return [
    {
      op: 'test',
      path: pointer('metadata', 'deletionTimestamp'),
      value: claim.metadata.deletionTimestamp,
    },
    ...removeFinalizerPatch(claim, finalizers.pvcProtection),
  ];
}
