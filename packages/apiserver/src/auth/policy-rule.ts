import type { PolicyRule } from '../resources/rbac.ts';
import type { AccessRequest } from './access-request.ts';

/** Whether one rule allows a request (plugin/pkg/auth/authorizer/rbac, RuleAllows). */
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

/** `pods` is not `pods/status`; `*` is both, and `*` before a slash is the subresource of every resource. */
function coversResource(rule: string, resource: string, subresource: string): boolean {
  if (rule === '*') {
    return true;
  }
  if (subresource === '') {
    return rule === resource;
  }
  return rule === `${resource}/${subresource}` || rule === `*/${subresource}`;
}

/** A star counts at the end only: everything that begins so. */
export function coversPath(rule: string, path: string): boolean {
  return rule === path || (rule.endsWith('*') && path.startsWith(rule.replace(/\*+$/, '')));
}
