import { type FieldError, duplicate, invalid, notSupported, required } from '../meta/field-error.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { applyMatchDefaults } from './match-resources.ts';
import { type PolicyBinding, bindingCells, bindingColumns, validateBinding } from './policy-binding.ts';
import { repeatedIn } from './repeated-values.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { admissionGroup, staticNameWarnings } from './webhook-configuration.ts';

/*
 * ValidatingAdmissionPolicyBindings of admissionregistration.k8s.io/v1, validated as in
 * pkg/apis/admissionregistration/validation/validation.go.
 */

export interface AdmissionPolicyBinding extends PolicyBinding {
  spec: PolicyBinding['spec'] & { validationActions?: string[] };
}

export const validatingAdmissionPolicyBindings: ResourceDefinition = {
  group: admissionGroup,
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  singular: 'validatingadmissionpolicybinding',
  categories: ['api-extensions'],
  namespaced: false,
  struct: 'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  nameRule: dnsSubdomain,
  takesAnyFinalizer: true,
  storageVersionHash: 'v9715VZqakg=',
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  applyDefaults({ spec: { matchResources } }: AdmissionPolicyBinding) {
    if (matchResources !== undefined) {
      applyMatchDefaults(matchResources);
    }
  },
  validate,
  warnings: staticNameWarnings,
  columns: bindingColumns,
  cells: bindingCells,
};

function validate({ spec }: AdmissionPolicyBinding): FieldError[] {
  return [
    ...validateBinding(spec, 'spec'),
    ...validateActions(spec.validationActions ?? [], 'spec.validationActions'),
  ];
}

const actionNames = ['Audit', 'Deny', 'Warn'];

function validateActions(actions: readonly string[], path: string): FieldError[] {
  const repeated = repeatedIn(actions);
  const errors = actions.flatMap((action, index) => [
    ...(actionNames.includes(action) ? [] : [notSupported(`${path}[${index}]`, action, actionNames)]),
    ...(repeated.has(index) ? [duplicate(`${path}[${index}]`, action)] : []),
  ]);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(invalid(path, [...actions], detail));
  }
  if (actions.length === 0) {
    errors.push(required(path, 'at least one validation action is required'));
  }
  return errors;
}
