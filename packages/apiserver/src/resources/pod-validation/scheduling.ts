import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { LabelSelector } from '../../meta/kube-object.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import { validateLabels } from '../../meta/object-meta.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';

/* Where a pod may run. */

interface Toleration extends JsonObject {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

interface NodeTerm extends JsonObject {
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

interface PodTerm extends JsonObject {
  topologyKey?: string;
  labelSelector?: LabelSelector;
}

interface PodTerms extends JsonObject {
  requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodTerm }[];
}

interface Affinity extends JsonObject {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeTerm[] | null };
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeTerm }[];
  };
  podAffinity?: PodTerms;
  podAntiAffinity?: PodTerms;
}

export interface SpreadConstraint extends JsonObject {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  minDomains?: number;
}

export interface SchedulingFields extends JsonObject {
  tolerations?: Toleration[];
  nodeSelector?: { [label: string]: string };
  affinity?: Affinity;
  topologySpreadConstraints?: SpreadConstraint[];
  schedulingGates?: { name: string }[];
  readinessGates?: { conditionType: string }[];
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const unsatisfiable = ['DoNotSchedule', 'ScheduleAnyway'];
const greatestWeight = 100;

export function validateScheduling(spec: SchedulingFields, path: string): FieldError[] {
  const gates = new Set<string>();
  return [
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...validateAffinity(spec.affinity, `${path}.affinity`),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, index) =>
      qualified(conditionType, `${path}.readinessGates[${index}].conditionType`),
    ),
    ...(spec.schedulingGates ?? []).flatMap(({ name }, index) => {
      const at = `${path}.schedulingGates[${index}]`;
      const isKnown = gates.has(name);
      gates.add(name);
      return [...qualified(name, at), ...(isKnown ? [duplicate(at, name)] : [])];
    }),
    ...(spec.tolerations ?? []).flatMap((each, index) =>
      validateToleration(each, `${path}.tolerations[${index}]`),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap((each, index) =>
      validateSpread(each, `${path}.topologySpreadConstraints[${index}]`),
    ),
  ];
}

function qualified(name: string, at: string): FieldError[] {
  return qualifiedNameProblems(name).map((problem) => invalid(at, name, problem));
}

function validateToleration(toleration: Toleration, at: string): FieldError[] {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  const errors: FieldError[] = key === '' ? [] : qualified(key, `${at}.key`);
  if (key === '' && operator !== 'Exists') {
    errors.push(
      invalid(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const problem = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(`${at}.effect`, effect, problem));
  }
  if (operator === 'Exists') {
    if (value !== '') {
      errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    }
  } else if (operator !== '' && operator !== 'Equal') {
    errors.push(notSupported(`${at}.operator`, operator, ['Equal', 'Exists']));
  }
  if (effect !== '' && !effects.includes(effect)) {
    errors.push(notSupported(`${at}.effect`, effect, effects));
  }
  return errors;
}

function validateAffinity(affinity: Affinity | undefined, at: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  const errors: FieldError[] = [];
  const needed = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (needed !== undefined) {
    const path = `${at}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
    const terms = needed.nodeSelectorTerms ?? [];
    if (terms.length === 0) {
      errors.push(required(path, 'must have at least one node selector term'));
    }
    errors.push(...terms.flatMap((term, index) => validateNodeTerm(term, `${path}[${index}]`)));
  }
  const preferred = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  for (const [index, { weight, preference }] of preferred.entries()) {
    const path = `${at}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
    errors.push(...validateWeight(weight, path), ...validateNodeTerm(preference, `${path}.preference`));
  }
  for (const [kind, terms] of Object.entries({ podAffinity, podAntiAffinity })) {
    errors.push(...validatePodTerms(terms ?? {}, `${at}.${kind}`));
  }
  return errors;
}

function validateWeight(weight: number, at: string): FieldError[] {
  return weight >= 1 && weight <= greatestWeight
    ? []
    : [invalid(`${at}.weight`, weight, `must be in the range 1-${greatestWeight}`)];
}

function validateNodeTerm({ matchExpressions = [] }: NodeTerm, at: string): FieldError[] {
  return matchExpressions.flatMap(({ key, operator, values = [] }, index) => {
    const path = `${at}.matchExpressions[${index}]`;
    return [...validateValues(operator, values, path), ...qualified(key, `${path}.key`)];
  });
}

function validateValues(operator: string, values: readonly string[], path: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [
            forbiddenField(
              `${path}.values`,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ];
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? []
        : [required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

function validatePodTerms(terms: PodTerms, at: string): FieldError[] {
  const needed = terms.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = terms.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...needed.flatMap((term, index) =>
      validatePodTerm(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
    ),
    ...preferred.flatMap(({ weight, podAffinityTerm }, index) => {
      const path = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      return [
        ...validateWeight(weight, path),
        ...validatePodTerm(podAffinityTerm, `${path}.podAffinityTerm`),
      ];
    }),
  ];
}

function validatePodTerm({ topologyKey = '', labelSelector }: PodTerm, at: string): FieldError[] {
  return [
    ...validateLabelSelector(labelSelector, `${at}.labelSelector`),
    ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...qualified(topologyKey, `${at}.topologyKey`),
  ];
}

function validateSpread(
  { maxSkew, topologyKey, whenUnsatisfiable, minDomains }: SpreadConstraint,
  at: string,
): FieldError[] {
  return [
    ...(maxSkew > 0 ? [] : [invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero')]),
    ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...(unsatisfiable.includes(whenUnsatisfiable)
      ? []
      : [notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, unsatisfiable)]),
    ...(minDomains !== undefined && minDomains <= 0
      ? [invalid(`${at}.minDomains`, minDomains, 'must be greater than zero')]
      : []),
    ...(minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule'
      ? [
          invalid(
            `${at}.minDomains`,
            minDomains,
            `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
          ),
        ]
      : []),
  ];
}
