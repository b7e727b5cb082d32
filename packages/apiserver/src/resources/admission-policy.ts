import { dnsSubdomain } from '../meta/names.ts';
import { resetMetadata } from '../meta/object-meta.ts';
import type { AdmissionPolicy } from './admission-policy-spec.ts';
import { validatePolicySpec, validatePolicyStatus } from './admission-policy-validation.ts';
import { applyMatchDefaults } from './match-resources.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';
import { admissionGroup, staticNameWarnings } from './webhook-configuration.ts';

/*
 * ValidatingAdmissionPolicies of admissionregistration.k8s.io/v1, as in
 * pkg/registry/admissionregistration/validatingadmissionpolicy.
 */

const validate = ({ metadata: { name = '' }, spec }: AdmissionPolicy) =>
  validatePolicySpec(spec, name, 'spec');

export const validatingAdmissionPolicies: ResourceDefinition = {
  group: admissionGroup,
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  singular: 'validatingadmissionpolicy',
  categories: ['api-extensions'],
  namespaced: false,
  struct: 'admissionregistration.v1.ValidatingAdmissionPolicy',
  nameRule: dnsSubdomain,
  takesAnyFinalizer: true,
  storageVersionHash: '6OxvlMmQ6is=',
  hasGeneration: true,
  allowUnconditionalUpdate: false,

  applyDefaults({ spec }: AdmissionPolicy) {
    spec.failurePolicy ??= 'Fail';
    if (spec.matchConstraints !== undefined) {
      applyMatchDefaults(spec.matchConstraints);
    }
  },
  prepareForCreate(policy: AdmissionPolicy) {
    policy.status = {};
  },
  validate,
  prepareForUpdate(policy: AdmissionPolicy, old: AdmissionPolicy) {
    policy.status = old.status;
  },
  warnings: staticNameWarnings,
  status: {
    prepareForUpdate(policy: AdmissionPolicy, old: AdmissionPolicy) {
      policy.spec = old.spec;
      policy.metadata = resetMetadata(policy.metadata, old.metadata);
    },
    validateUpdate: ({ status }: AdmissionPolicy) => validatePolicyStatus(status, 'status'),
    keptMetadata: 'all',
  },

  columns: [
    nameColumn,
    { ...column('Validations', 'How many validations the policy has'), type: 'integer' },
    column('ParamKind', 'The kind of the objects that the policy is parameterized by'),
    ageColumn,
  ],
  cells: ({ metadata, spec: { validations = [], paramKind } }: AdmissionPolicy, { now }) => [
    metadata.name ?? '',
    validations.length,
    paramKind === undefined ? '<unset>' : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`,
    since(metadata.creationTimestamp, now),
  ],
};
