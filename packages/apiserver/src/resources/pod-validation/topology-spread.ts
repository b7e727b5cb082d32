import { type FieldError, duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { LabelSelector } from '../../meta/kube-object.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import { validateLabelKeys } from './label-keys.ts';

/* Validates how pods are spread over the cluster. */

export interface SpreadConstraint extends JsonObject {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  minDomains?: number;
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
}

const unsatisfiable = ['DoNotSchedule', 'ScheduleAnyway'];
const policies = ['Honor', 'Ignore'];

export function validateSpreadConstraints(
  constraints: readonly SpreadConstraint[],
  path: string,
): FieldError[] {
  const keyOf = ({ topologyKey, whenUnsatisfiable }: SpreadConstraint): string =>
    JSON.stringify([topologyKey, whenUnsatisfiable]);
  const last = new Map(constraints.map((constraint, index) => [keyOf(constraint), index]));
  return constraints.flatMap((constraint, index) => {
    const { topologyKey, whenUnsatisfiable } = constraint;
    const at = `${path}[${index}]`;
    return [
      ...validateSpread(constraint, at),
      ...(last.get(keyOf(constraint)) !== index
        ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`)]
        : []),
      ...validateDomains(constraint, `${at}.minDomains`),
      ...validatePolicy(constraint.nodeAffinityPolicy, `${at}.nodeAffinityPolicy`),
      ...validatePolicy(constraint.nodeTaintsPolicy, `${at}.nodeTaintsPolicy`),
      ...validateLabelKeys(constraint, at),
      ...validateLabelSelector(constraint.labelSelector, `${at}.labelSelector`),
    ];
  });
}

function validateSpread(
  { maxSkew, topologyKey, whenUnsatisfiable }: SpreadConstraint,
  at: string,
): FieldError[] {
  return [
    ...(maxSkew > 0 ? [] : [invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero')]),
    ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...(unsatisfiable.includes(whenUnsatisfiable)
      ? []
      : [notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, unsatisfiable)]),
  ];
}

function validateDomains({ minDomains, whenUnsatisfiable }: SpreadConstraint, at: string): FieldError[] {
  if (minDomains === undefined) {
    return [];
  }
  const problem = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [
    ...(minDomains > 0 ? [] : [invalid(at, minDomains, 'must be greater than zero')]),
    ...(whenUnsatisfiable === 'DoNotSchedule' ? [] : [invalid(at, minDomains, problem)]),
  ];
}

function validatePolicy(policy: string | undefined, at: string): FieldError[] {
  return policy === undefined || policies.includes(policy) ? [] : [notSupported(at, policy, policies)];
}
