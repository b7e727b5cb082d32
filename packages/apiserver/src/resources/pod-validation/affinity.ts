import { append } from '../../meta/append.ts';
import { type FieldError, forbiddenField, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { LabelSelector } from '../../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain, labelValueProblems } from '../../meta/names.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import { validateLabelKeys } from './label-keys.ts';
import { validateQualifiedName } from './name-errors.ts';

/* Validates node and pod affinity: the required rules and the preferred ones. */

interface Requirement extends JsonObject {
  key: string;
  operator: string;
  values?: string[];
}

export interface NodeTerm extends JsonObject {
  matchExpressions?: Requirement[];
  matchFields?: Requirement[];
}

export interface PodTerm extends JsonObject {
  topologyKey: string;
  labelSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

export interface PodAffinity extends JsonObject {
  requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodTerm }[];
}

export interface NodeSelector extends JsonObject {
  nodeSelectorTerms: NodeTerm[] | null;
}

export interface NodeAffinity extends JsonObject {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeTerm }[];
}

export interface Affinity extends JsonObject {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAffinity;
}

const greatestWeight = 100;

export function validateAffinity(affinity: Affinity, path: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return [
    ...(nodeAffinity === undefined ? [] : validateNodeAffinity(nodeAffinity, `${path}.nodeAffinity`)),
    ...(podAffinity === undefined ? [] : validatePodAffinity(podAffinity, `${path}.podAffinity`)),
    ...(podAntiAffinity === undefined ? [] : validatePodAffinity(podAntiAffinity, `${path}.podAntiAffinity`)),
  ];
}

function validateNodeAffinity(affinity: NodeAffinity, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const needed = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  if (needed !== undefined) {
    append(errors, validateNodeSelector(needed, `${path}.requiredDuringSchedulingIgnoredDuringExecution`));
  }
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...errors,
    ...preferred.flatMap(({ weight, preference }, index) => {
      const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      return [...validateWeight(weight, at), ...validateNodeTerm(preference, false, `${at}.preference`)];
    }),
  ];
}

/** Validates a selector that nodes must match. */
export function validateNodeSelector({ nodeSelectorTerms }: NodeSelector, path: string): FieldError[] {
  const at = `${path}.nodeSelectorTerms`;
  const terms = nodeSelectorTerms ?? [];
  return terms.length === 0
    ? [required(at, 'must have at least one node selector term')]
    : terms.flatMap((term, index) => validateNodeTerm(term, true, `${at}[${index}]`));
}

function validateWeight(weight: number, at: string): FieldError[] {
  return weight >= 1 && weight <= greatestWeight
    ? []
    : [invalid(`${at}.weight`, weight, `must be in the range 1-${greatestWeight}`)];
}

/**
 * @param areValuesJudged whether values must be valid label values, which the preferred terms need not have
 */
function validateNodeTerm(
  { matchExpressions = [], matchFields = [] }: NodeTerm,
  areValuesJudged: boolean,
  path: string,
): FieldError[] {
  return [
    ...matchExpressions.flatMap((each, index) =>
      validateExpression(each, areValuesJudged, `${path}.matchExpressions[${index}]`),
    ),
    ...matchFields.flatMap((each, index) => validateNodeField(each, `${path}.matchFields[${index}]`)),
  ];
}

function validateExpression(
  { key, operator, values = [] }: Requirement,
  areValuesJudged: boolean,
  path: string,
): FieldError[] {
  return [
    ...validateValues(operator, values, path),
    ...validateQualifiedName(key, `${path}.key`),
    ...(areValuesJudged ? values : []).flatMap((value, index) =>
      labelValueProblems(value).map((problem) => invalid(`${path}.values[${index}]`, value, problem)),
    ),
  ];
}

function validateValues(operator: string, values: readonly string[], path: string): FieldError[] {
  const at = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? []
        : [required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

/** The only field by which nodes can be selected is metadata.name. */
function validateNodeField({ key, operator, values = [] }: Requirement, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const problem = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${path}.values`, problem));
  }
  if (key !== 'metadata.name') {
    return [...errors, invalid(`${path}.key`, key, 'not a valid field selector key')];
  }
  return [
    ...errors,
    ...values.flatMap((value, index) =>
      dnsSubdomain(value, false).map((problem) => invalid(`${path}.values[${index}]`, value, problem)),
    ),
  ];
}

function validatePodAffinity(affinity: PodAffinity, path: string): FieldError[] {
  const needed = affinity.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...needed.flatMap((term, index) =>
      validatePodTerm(term, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
    ),
    ...preferred.flatMap(({ weight, podAffinityTerm }, index) => {
      const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      return [...validateWeight(weight, at), ...validatePodTerm(podAffinityTerm, `${at}.podAffinityTerm`)];
    }),
  ];
}

function validatePodTerm(term: PodTerm, path: string): FieldError[] {
  const { topologyKey, labelSelector, namespaces = [] } = term;
  return [
    ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`),
    // The real server's error does not say which namespace it is.
    ...namespaces.flatMap((name) =>
      dnsLabel(name, false).map((problem) => invalid(`${path}.namespace`, name, problem)),
    ),
    ...validateLabelKeys(term, path),
    ...(topologyKey === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...validateQualifiedName(topologyKey, `${path}.topologyKey`),
  ];
}
