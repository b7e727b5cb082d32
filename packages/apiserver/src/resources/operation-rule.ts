import { append } from '../meta/append.ts';
import { type FieldError, invalid, notSupported, required } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';

/*
 * The operations and resources that a webhook or a policy matches, validated as in
 * pkg/apis/admissionregistration/validation/validation.go.
 */

export interface OperationRule extends JsonObject {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
}

const scopes = ['*', 'Cluster', 'Namespaced'];
const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

export function applyRuleDefaults(rule: OperationRule): void {
  rule.scope ??= '*';
}

export function validateRule(rule: OperationRule, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const wildcardAlone = (values: readonly string[], field: string, others: string): void => {
    if (values.length === 0) {
      errors.push(required(`${path}.${field}`));
    }
    if (values.length > 1 && values.includes('*')) {
      errors.push(
        invalid(`${path}.${field}`, [...values], `if '*' is present, must not specify other ${others}`),
      );
    }
  };
  wildcardAlone(rule.operations ?? [], 'operations', 'operations');
  for (const [index, operation] of (rule.operations ?? []).entries()) {
    append(
      errors,
      operations.includes(operation)
        ? []
        : [notSupported(`${path}.operations[${index}]`, operation, operations)],
    );
  }
  wildcardAlone(rule.apiGroups ?? [], 'apiGroups', 'API groups');
  wildcardAlone(rule.apiVersions ?? [], 'apiVersions', 'API versions');
  for (const [index, version] of (rule.apiVersions ?? []).entries()) {
    if (version === '') {
      errors.push(required(`${path}.apiVersions[${index}]`));
    }
  }
  append(errors, validateRuleResources(rule.resources ?? [], `${path}.resources`));
  if (rule.scope !== undefined && !scopes.includes(rule.scope)) {
    errors.push(notSupported(`${path}.scope`, rule.scope, scopes));
  }
  return errors;
}

function validateRuleResources(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) {
    return [required(path)];
  }
  const errors: FieldError[] = [];
  const withAllSubresources = new Set<string>();
  const ofAllResources = new Set<string>();
  for (const [index, entry] of resources.entries()) {
    if (entry === '') {
      errors.push(required(`${path}[${index}]`));
      continue;
    }
    const slash = entry.indexOf('/');
    if (slash < 0) {
      continue;
    }
    const resource = entry.slice(0, slash);
    const subresource = entry.slice(slash + 1);
    const covered = [
      ...(withAllSubresources.has(resource) ? [`${resource}/*`] : []),
      ...(ofAllResources.has(subresource) ? [`*/${subresource}`] : []),
    ];
    for (const wider of covered) {
      errors.push(invalid(`${path}[${index}]`, entry, `if '${wider}' is present, must not specify ${entry}`));
    }
    if (subresource === '*') {
      withAllSubresources.add(resource);
    }
    if (resource === '*') {
      ofAllResources.add(subresource);
    }
  }
  const plain = resources.filter((entry) => entry !== '' && !entry.includes('/'));
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, [...resources], "if '*/*' is present, must not specify other resources"));
  }
  if (plain.includes('*') && plain.at(-1) !== '*') {
    errors.push(
      invalid(
        path,
        [...resources],
        "if '*' is present, must not specify other resources without subresources",
      ),
    );
  }
  return errors;
}
