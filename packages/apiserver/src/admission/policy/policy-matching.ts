import type { MatchResources, NamedRule } from '../../resources/match-resources.ts';
import type { ResourceRegistry } from '../../resources/registry.ts';
import type { ResourceDefinition } from '../../resources/resource-definition.ts';
import type { AdmissionRequest } from '../admission.ts';
import { equivalents, matchesNamespace, matchesObject, matchesRule } from '../rule-matching.ts';

/**
 * The form in which a policy or a binding matches the object of a request; undefined if it does not match.
 * The rules are those of k8s.io/apiserver/pkg/admission/plugin/policy/matching. Throws 404 if a
 * namespaceSelector needs a namespace that does not exist.
 */
export function policyForm(
  match: MatchResources,
  request: AdmissionRequest,
  registry: ResourceRegistry,
): ResourceDefinition | undefined {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = match;
  const { definition } = request;
  const forms = matchPolicy === 'Exact' ? [definition] : [definition, ...equivalents(definition, registry)];
  const formOf = (rules: readonly NamedRule[]): ResourceDefinition | undefined =>
    forms.find((form) => rules.some((rule) => matchesRule(rule, request, form) && isNamed(rule, request)));
  if (formOf(excludeResourceRules) !== undefined) {
    return undefined;
  }
  const form = resourceRules.length === 0 ? definition : formOf(resourceRules);
  const isSelected =
    form !== undefined &&
    matchesObject(match.objectSelector, request) &&
    matchesNamespace(match.namespaceSelector, request);
  return isSelected ? form : undefined;
}

function isNamed({ resourceNames = [] }: NamedRule, { name }: AdmissionRequest): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}
