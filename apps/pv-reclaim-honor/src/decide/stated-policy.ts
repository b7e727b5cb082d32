import type { PersistentVolume } from '@holdfast/core';
import type { Policy } from './snapshot.ts';

/**
 * What the volume's field says. Under a policy that is missing, or that a later Kubernetes has, finalizers stay as they are: also
 * kube-controller-manager takes its own off under Retain and Recycle alone (modifyDeletionFinalizers in pv_controller_base.go, 1.31 and 1.36).
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
