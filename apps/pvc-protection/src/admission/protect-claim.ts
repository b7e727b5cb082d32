import { finalizers, hasFinalizer } from '@holdfast/core';
import type { AdmissionAnswer, AdmissionRequest } from '@holdfast/runtime';

const path = '/metadata/finalizers';

/**
 * Adds the finalizer to a claim that is being created, after any others, so that no pod can use the claim
 * unprotected. This is the design's "PVC Admission Controller". A claim created without this webhook gets the
 * finalizer from the controller a moment later.
 *
 * @throws Error if the claim's finalizers are not a list: the patch would replace them with something else.
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
