import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { dnsSubdomain, pathSegment } from '../meta/names.ts';
import { validateLabelSelector } from '../selectors/label-selector-validation.ts';
import { type MatchResources, applyMatchDefaults, validateMatchResources } from './match-resources.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';
import { admissionGroup, staticNameWarnings } from './webhook-configuration.ts';

/*
 * ValidatingAdmissionPolicyBindings of admissionregistration.k8s.io/v1, validated as pkg/apis/admissionregistration/validation/validation.go
 * does.
 */

export interface ParamRef extends JsonObject {
  name?: string;
  namespace?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: string;
}

export interface AdmissionPolicyBinding extends KubeObject {
  spec: {
    policyName?: string;
    paramRef?: ParamRef;
    matchResources?: MatchResources;
    validationActions?: string[];
  };
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
  columns: [
    nameColumn,
    column('PolicyName', 'The policy that is bound'),
    column('ParamRef', 'The objects that the policy is parameterized by'),
    ageColumn,
  ],
  cells: ({ metadata, spec }: AdmissionPolicyBinding, { now }) => [
    metadata.name ?? '',
    spec.policyName ?? '',
    shownReference(spec.paramRef),
    since(metadata.creationTimestamp, now),
  ],
};

function shownReference(reference: ParamRef | undefined): string {
  const { name = '', namespace = '', selector } = reference ?? {};
  if (name !== '') {
    return `${namespace === '' ? '*' : namespace}/${name}`;
  }
  return selector === undefined ? '<unset>' : printSelector(selector);
}

/** As the generated String method of Go's type writes it. */
function printSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

function validate({ spec }: AdmissionPolicyBinding): FieldError[] {
  const { policyName = '', paramRef, matchResources, validationActions = [] } = spec;
  return [
    ...(policyName === ''
      ? [required('spec.policyName')]
      : dnsSubdomain(policyName, false).map((problem) => invalid('spec.policyName', policyName, problem))),
    ...(paramRef === undefined ? [] : validateReference(paramRef, 'spec.paramRef')),
    ...(matchResources === undefined ? [] : validateMatchResources(matchResources, 'spec.matchResources')),
    ...validateActions(validationActions, 'spec.validationActions'),
  ];
}

const notFoundActions = ['Deny', 'Allow'];
const exclusive = 'name and selector are mutually exclusive';

function validateReference(
  { name = '', selector, parameterNotFoundAction = '' }: ParamRef,
  path: string,
): FieldError[] {
  const errors = pathSegment(name, false).map((problem) => invalid(`${path}.name`, name, problem));
  const isBoth = name !== '' && selector !== undefined;
  if (isBoth) {
    errors.push(forbiddenField(`${path}.name`, exclusive));
  }
  errors.push(...validateLabelSelector(selector, `${path}.selector`));
  if (isBoth) {
    errors.push(forbiddenField(`${path}.selector`, exclusive));
  }
  if (name === '' && selector === undefined) {
    errors.push(required(path, 'one of name or selector must be specified'));
  }
  const ofAction = `${path}.parameterNotFoundAction`;
  if (parameterNotFoundAction === '') {
    errors.push(required(ofAction));
  } else if (!notFoundActions.includes(parameterNotFoundAction)) {
    errors.push(notSupported(ofAction, parameterNotFoundAction, notFoundActions));
  }
  return errors;
}

const actionNames = ['Audit', 'Deny', 'Warn'];

function validateActions(actions: readonly string[], path: string): FieldError[] {
  const errors = actions.flatMap((action, index) => [
    ...(actionNames.includes(action) ? [] : [notSupported(`${path}[${index}]`, action, actionNames)]),
    ...(actions.indexOf(action) < index ? [duplicate(`${path}[${index}]`, action)] : []),
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
