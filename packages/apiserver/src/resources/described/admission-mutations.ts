import { type FieldError, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { type MatchResources, applyMatchDefaults } from '../match-resources.ts';
import { admissionGroup } from '../webhook-configuration.ts';
import { describedResource } from './described-resource.ts';
import { age, text, typed } from './shown.ts';

/* MutatingAdmissionPolicies of admissionregistration.k8s.io/v1. They are kept, and change nothing: who creates one is told so. */

interface MutatingPolicy extends KubeObject {
  spec: {
    paramKind?: { apiVersion?: string; kind?: string };
    matchConstraints?: MatchResources;
    mutations?: { patchType: string }[];
    failurePolicy?: string;
    reinvocationPolicy?: string;
  };
}

const noEffect = (kind: string): string =>
  `${kind} is stored, but this API server does not mutate by it; use a mutating webhook, or test on a kube-apiserver`;

export const mutatingAdmissionPolicies = describedResource({
  group: admissionGroup,
  version: 'v1',
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  categories: ['api-extensions'],
  namespaced: false,
  struct: 'admissionregistration.v1.MutatingAdmissionPolicy',
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
  judgedHere: ['admissionregistration.v1.MutatingAdmissionPolicySpec'],
  refusals({ spec }: MutatingPolicy) {
    const { matchConstraints, mutations = [], reinvocationPolicy = '' } = spec;
    const errors: FieldError[] = [];
    if (matchConstraints === undefined) {
      errors.push(required('spec.matchConstraints'));
    }
    if (mutations.length === 0) {
      errors.push(required('spec.mutations', 'mutations must contain at least one item'));
    }
    if (reinvocationPolicy === '') {
      errors.push(required('spec.reinvocationPolicy'));
    } else if (reinvocationPolicy !== 'Never' && reinvocationPolicy !== 'IfNeeded') {
      errors.push(notSupported('spec.reinvocationPolicy', reinvocationPolicy, ['IfNeeded', 'Never']));
    }
    return errors;
  },
  warnings: ({ kind }, old) => (old === undefined ? [noEffect(kind)] : []),
  shown: [
    typed<MutatingPolicy>(
      'Mutations',
      'integer',
      'How many changes it makes',
      ({ spec }) => spec.mutations?.length ?? 0,
    ),
    text<MutatingPolicy>('ParamKind', 'The kind of its params', ({ spec: { paramKind } }) =>
      paramKind === undefined ? '<unset>' : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`,
    ),
    age,
  ],
});

interface MutatingBinding extends KubeObject {
  spec: {
    policyName?: string;
    paramRef?: { name?: string; namespace?: string } & JsonObject;
    matchResources?: MatchResources;
  };
}

export const mutatingAdmissionPolicyBindings = describedResource({
  group: admissionGroup,
  version: 'v1',
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
  categories: ['api-extensions'],
  namespaced: false,
  struct: 'admissionregistration.v1.MutatingAdmissionPolicyBinding',
  takesAnyFinalizer: true,
  storageVersionHash: '90V5FRZZ3Zg=',
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  applyDefaults({ spec: { matchResources } }: MutatingBinding) {
    if (matchResources !== undefined) {
      applyMatchDefaults(matchResources);
    }
  },
  refusals: ({ spec }: MutatingBinding) =>
    (spec.policyName ?? '') === '' ? [required('spec.policyName')] : [],
  warnings: ({ kind }, old) => (old === undefined ? [noEffect(kind)] : []),
  shown: [
    text<MutatingBinding>('PolicyName', 'Which policy it puts in force', ({ spec }) => spec.policyName ?? ''),
    text<MutatingBinding>('ParamRef', 'Its params', ({ spec: { paramRef } }) => {
      if (paramRef === undefined) {
        return '<unset>';
      }
      const { name = '', namespace = '' } = paramRef;
      return namespace === '' ? `*/${name}` : `${namespace}/${name}`;
    }),
    age,
  ],
});
