import { type FieldError, duplicate, invalid, notSupported, required } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import type { LabelSelector } from '../meta/kube-object.ts';
import { pathSegment } from '../meta/names.ts';
import { validateLabelSelector } from '../selectors/label-selector-validation.ts';
import { type OperationRule, applyRuleDefaults, validateRule } from './operation-rule.ts';
import { repeatedIn } from './repeated-values.ts';

/*
 * The requests that an admission policy or a binding matches, defaulted and validated as in
 * pkg/apis/admissionregistration.
 */

export interface NamedRule extends OperationRule {
  /** Default: all names. */
  resourceNames?: string[];
}

export interface MatchResources extends JsonObject {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  /** Default: all requests. */
  resourceRules?: NamedRule[];
  excludeResourceRules?: NamedRule[];
  matchPolicy?: string;
}

const matchPolicies = ['Equivalent', 'Exact'];

export function applyMatchDefaults(match: MatchResources): void {
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  match.matchPolicy ??= 'Equivalent';
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) {
    applyRuleDefaults(rule);
  }
}

export function validateMatchResources(match: MatchResources, path: string): FieldError[] {
  const { matchPolicy = '', namespaceSelector, objectSelector } = match;
  const rulesOf = (field: 'resourceRules' | 'excludeResourceRules'): FieldError[] =>
    (match[field] ?? []).flatMap((rule, index) => validateNamedRule(rule, `${path}.${field}[${index}]`));
  return [
    ...(matchPolicies.includes(matchPolicy)
      ? []
      : [notSupported(`${path}.matchPolicy`, matchPolicy, matchPolicies)]),
    ...validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`),
    ...validateLabelSelector(objectSelector, `${path}.objectSelector`),
    ...rulesOf('resourceRules'),
    ...rulesOf('excludeResourceRules'),
  ];
}

function validateNamedRule(rule: NamedRule, path: string): FieldError[] {
  const names = rule.resourceNames ?? [];
  const repeated = repeatedIn(names);
  const errors = names.flatMap((name, index) => {
    const at = `${path}.resourceNames[${index}]`;
    return [
      ...pathSegment(name, false).map((problem) => invalid(at, name, problem)),
      ...(repeated.has(index) ? [duplicate(at, name)] : []),
    ];
  });
  return [...errors, ...validateRule(rule, path)];
}

/** For a field that is required. */
export function requiredMatch(match: MatchResources | undefined, path: string): FieldError[] {
  if (match === undefined) {
    return [required(path)];
  }
  // Without a rule, the types of the objects in the expressions would be unknown.
  const isWithoutRules = (match.resourceRules ?? []).length === 0;
  return [
    ...validateMatchResources(match, path),
    ...(isWithoutRules ? [required(`${path}.resourceRules`)] : []),
  ];
}
