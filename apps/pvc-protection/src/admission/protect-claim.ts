import { finalizers, hasFinalizer } from '@holdfast/core';
import type { AdmissionAnswer, AdmissionRequest } from '@holdfast/runtime';

const path = '/metadata/finalizers';

/**
 * Puts the finalizer on a claim that is being created, behind those that it has, so that no pod can use it unprotected: the
 * design's "PVC Admission Controller". A claim that is created without this webhook gets it from the controller a moment later.
 *
 * @throws Error when the claim's finalizers are no list: the patch would put something else in their place.
 */
export function protectClaim({ operation, object }: AdmissionRequest): AdmissionAnswer {
  if (operation !== 'CREATE' || object === null) {
    return { kind: 'allowed' };
  }
  const present: unknown = object.metadata.finalizers ?? [];
  if (!Array.isArray(present)) {
    throw new Error('metadata.finalizers is no list');
  }
  if (hasFinalizer(object, finalizers.pvcProtection)) {
    return { kind: 'allowed' };
  }
  return {
    kind: 'patch',
    patch: [{ op: 'add', path, value: [...(present as readonly string[]), finalizers.pvcProtection] }],
  };
}
