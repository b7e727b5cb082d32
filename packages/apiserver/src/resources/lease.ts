import { type FieldError, invalid } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

interface Lease extends KubeObject {
  spec: { holderIdentity?: string; leaseDurationSeconds?: number; leaseTransitions?: number } & JsonObject;
}

export const leases: ResourceDefinition = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  namespaced: true,
  struct: 'coordination.v1.Lease',
  nameRule: dnsSubdomain,
  takesAnyFinalizer: true,
  storageVersionHash: 'gqkMMb/YqFM=',
  allowUnconditionalUpdate: false,
  allowCreateOnUpdate: true,
  validate: validateLease,
  validateUpdate: validateLease,
  columns: [nameColumn, column('Holder', 'Who holds the lease'), ageColumn],
  cells: ({ metadata, spec }: Lease, { now }) => [
    metadata.name ?? '',
    spec.holderIdentity ?? '',
    since(metadata.creationTimestamp, now),
  ],
};

function validateLease({ spec }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  const { leaseDurationSeconds, leaseTransitions } = spec;
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'));
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    errors.push(invalid('spec.leaseTransitions', leaseTransitions, 'must be greater than or equal to 0'));
  }
  return errors;
}
