import type { StatefulSet } from '@holdfast/core';
import { policyOf } from '@holdfast/statefulset-pvc-retention/decide';

/**
 * Describes what kube-controller-manager carries out where annotations take the place of the field, which is
 * all that it reads. Undefined if the policy of the set is that of the field, or the API server drops the
 * field.
 */
export function fieldAlone(set: StatefulSet): string | undefined {
  const field = set.spec?.persistentVolumeClaimRetentionPolicy;
  if (field === undefined) {
    return undefined;
  }
  const { whenScaled = 'Retain', whenDeleted = 'Retain' } = field;
  const policy = policyOf(set);
  return policy.whenScaled === whenScaled && policy.whenDeleted === whenDeleted
    ? undefined
    : `the field alone (whenScaled ${whenScaled}, whenDeleted ${whenDeleted})`;
}
