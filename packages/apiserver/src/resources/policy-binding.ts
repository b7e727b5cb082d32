import { append } from '../meta/append.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import type { Json, JsonObject } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { dnsSubdomain, pathSegment } from '../meta/names.ts';
import { validateLabelSelector } from '../selectors/label-selector-validation.ts';
import { type MatchResources, validateMatchResources } from './match-resources.ts';
import type { StrategyContext } from './resource-definition.ts';
import { type TableColumn, ageColumn, column, nameColumn, since } from './table-columns.ts';

/*
 * The rules that bindings of validating and mutating policies share, as in
 * pkg/apis/admissionregistration/validation/validation.go.
 */

export interface ParamRef extends JsonObject {
  name?: string;
  namespace?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: string;
}

export interface PolicyBinding extends KubeObject {
  spec: {
    policyName?: string;
    paramRef?: ParamRef;
    matchResources?: MatchResources;
  };
}

export const bindingColumns: readonly TableColumn[] = [
  nameColumn,
  column('PolicyName', 'The policy that is bound'),
  column('ParamRef', 'The objects that the policy is parameterized by'),
  ageColumn,
];

export function bindingCells({ metadata, spec }: PolicyBinding, { now }: StrategyContext): Json[] {
  return [
    metadata.name ?? '',
    spec.policyName ?? '',
    shownReference(spec.paramRef),
    since(metadata.creationTimestamp, now),
  ];
}

function shownReference(reference: ParamRef | undefined): string {
  const { name = '', namespace = '', selector } = reference ?? {};
  if (name !== '') {
    return `${namespace === '' ? '*' : namespace}/${name}`;
  }
  return selector === undefined ? '<unset>' : printSelector(selector);
}

/** Formats a selector like the generated String method of Go's type. */
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

export function validateBinding(
  { policyName = '', paramRef, matchResources }: PolicyBinding['spec'],
  path: string,
): FieldError[] {
  return [
    ...(policyName === ''
      ? [required(`${path}.policyName`)]
      : dnsSubdomain(policyName, false).map((problem) => invalid(`${path}.policyName`, policyName, problem))),
    ...(paramRef === undefined ? [] : validateReference(paramRef, `${path}.paramRef`)),
    ...(matchResources === undefined ? [] : validateMatchResources(matchResources, `${path}.matchResources`)),
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
  append(errors, validateLabelSelector(selector, `${path}.selector`));
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
