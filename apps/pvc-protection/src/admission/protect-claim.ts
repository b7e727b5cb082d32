import { finalizers, hasFinalizer } from '@holdfast/core';
import type { AdmissionAnswer, AdmissionRequest } from '@holdfast/runtime';

const path = '/metadata/finalizers';

/**
 * Puts the finalizer on a claim that is being created, behind those that it has, so that no pod can use it unprotected: the
 * design's "PVC Admission Controller". A claim that is created without this webhook gets it from the controller a moment later.
 */
export function protectClaim({ operation, object }: AdmissionRequest): AdmissionAnswer {
  if (operation !== 'CREATE' || object === null || hasFinalizer(object, finalizers.pvcProtection)) {
    return { kind: 'allowed' };
  }
  const present = object.metadata.finalizers ?? [];
  return {
    kind: 'patch',
    patch: [{ op: 'add', path, value: [...present, finalizers.pvcProtection] }],
  };
}
