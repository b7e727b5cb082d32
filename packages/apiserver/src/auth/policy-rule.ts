import type { PolicyRule } from '../resources/rbac.ts';
import type { AccessRequest } from './access-request.ts';

/** Whether a rule allows a request (plugin/pkg/auth/authorizer/rbac, RuleAllows). */
export function ruleAllows(rule: PolicyRule, access: AccessRequest): boolean {
  if (!includesOrAll(rule.verbs, access.verb)) {
    return false;
  }
  if (access.kind === 'path') {
    return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, access.path));
  }
  return (
    includesOrAll(rule.apiGroups, access.group) &&
    (rule.resources ?? []).some((resource) =>
      coversResource(resource, access.resource, access.subresource),
    ) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(access.name))
  );
}

function includesOrAll(values: readonly string[] | null | undefined, value: string): boolean {
  return values?.some((candidate) => candidate === '*' || candidate === value) ?? false;
}

/**
 * `pods` does not cover `pods/status`. A star covers both, and a star before a slash covers that subresource of
 * every resource.
 */
function coversResource(rule: string, resource: string, subresource: string): boolean {
  if (rule === '*') {
    return true;
  }
  if (subresource === '') {
    return rule === resource;
  }
  return rule === `${resource}/${subresource}` || rule === `*/${subresource}`;
}

/** A star counts only at the end, where it matches any rest. */
export function coversPath(rule: string, path: string): boolean {
  return rule === path || (rule.endsWith('*') && path.startsWith(rule.replace(/\*+$/, '')));
}
