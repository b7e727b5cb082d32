import { dnsSubdomain } from '../meta/names.ts';
import { applyMatchDefaults } from './match-resources.ts';
import { validateMutableOperations } from './mutating-policy-validation.ts';
import { type PolicyBinding, bindingCells, bindingColumns, validateBinding } from './policy-binding.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { admissionGroup, staticNameWarnings } from './webhook-configuration.ts';

/* MutatingAdmissionPolicyBindings of admissionregistration.k8s.io/v1. */

export const mutatingAdmissionPolicyBindings: ResourceDefinition = {
  group: admissionGroup,
  version: 'v1',
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
  singular: 'mutatingadmissionpolicybinding',
  categories: ['api-extensions'],
  namespaced: false,
  struct: 'admissionregistration.v1.MutatingAdmissionPolicyBinding',
  nameRule: dnsSubdomain,
  takesAnyFinalizer: true,
  storageVersionHash: '90V5FRZZ3Zg=',
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  applyDefaults({ spec: { matchResources } }: PolicyBinding) {
    if (matchResources !== undefined) {
      applyMatchDefaults(matchResources);
    }
  },
  validate: ({ spec }: PolicyBinding) => [
    ...validateBinding(spec, 'spec'),
    ...(spec.matchResources === undefined
      ? []
      : validateMutableOperations(spec.matchResources, 'spec.matchResources')),
  ],
  warnings: staticNameWarnings,
  columns: bindingColumns,
  cells: bindingCells,
};
