import {
  finalizers,
  pointer,
  removeFinalizerPatch,
  type JsonPatch,
  type PersistentVolumeClaim,
} from '@holdfast/core';

/**
 * Returns the patch that releases a terminating claim, provided that it is still terminating since the same
 * moment. A deletion cannot be undone, except by restoring etcd from a backup. Then the claim has its UID and
 * its finalizer, but nobody has requested its deletion any more, and a cache that does not know this yet
 * would leave it unprotected (the patch fails with 422 instead).
 *
 * @param claim terminating, with the finalizer.
 * @throws Error if the finalizer is not there.
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
