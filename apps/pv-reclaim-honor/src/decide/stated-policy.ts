import type { PersistentVolume } from '@holdfast/core';
import type { Policy } from './snapshot.ts';

/**
 * Returns the policy in the volume's field. If it is missing, or belongs to a later Kubernetes, finalizers
 * stay as they are. kube-controller-manager also removes its own only under Retain and Recycle
 * (modifyDeletionFinalizers in pv_controller_base.go, 1.31 and 1.36).
 */
export function statedPolicyOf({ spec }: PersistentVolume): Policy {
  switch (spec?.persistentVolumeReclaimPolicy) {
    case 'Delete':
      return 'Delete';
    case 'Retain':
    case 'Recycle':
      return 'other';
    default:
      return 'unknown';
  }
}
