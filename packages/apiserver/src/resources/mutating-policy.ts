import { dnsSubdomain } from '../meta/names.ts';
import type { MutatingPolicy } from './admission-policy-spec.ts';
import { applyMatchDefaults } from './match-resources.ts';
import { validateMutatingSpec } from './mutating-policy-validation.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';
import { admissionGroup, staticNameWarnings } from './webhook-configuration.ts';

/*
 * MutatingAdmissionPolicies of admissionregistration.k8s.io/v1, as in
 * pkg/registry/admissionregistration/mutatingadmissionpolicy.
 */

export const mutatingAdmissionPolicies: ResourceDefinition = {
  group: admissionGroup,
  version: 'v1',
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  singular: 'mutatingadmissionpolicy',
  categories: ['api-extensions'],
  namespaced: false,
  struct: 'admissionregistration.v1.MutatingAdmissionPolicy',
  nameRule: dnsSubdomain,
  takesAnyFinalizer: true,
  storageVersionHash: 'LYmCf+UMVdg=',
  hasGeneration: true,
  allowUnconditionalUpdate: false,

  applyDefaults({ spec }: MutatingPolicy) {
    spec.failurePolicy ??= 'Fail';
    if (spec.matchConstraints !== undefined) {
      applyMatchDefaults(spec.matchConstraints);
    }
  },
  validate: ({ spec }: MutatingPolicy) => validateMutatingSpec(spec, 'spec'),
  warnings: staticNameWarnings,

  columns: [
    nameColumn,
    { ...column('Mutations', 'How many mutations the policy has'), type: 'integer' },
    column('ParamKind', 'The kind of the objects that the policy is parameterized by'),
    ageColumn,
  ],
  cells: ({ metadata, spec: { mutations = [], paramKind } }: MutatingPolicy, { now }) => [
    metadata.name ?? '',
    mutations.length,
    paramKind === undefined ? '<unset>' : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`,
    since(metadata.creationTimestamp, now),
  ],
};
