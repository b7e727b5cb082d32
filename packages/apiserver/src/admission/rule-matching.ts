import { isObject } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { notFound } from '../meta/status-error.ts';
import type { OperationRule } from '../resources/operation-rule.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { type ResourceDefinition, isNamespace, keyspaceOf } from '../resources/resource-definition.ts';
import { matcherOf } from '../selectors/label-selector.ts';
import type { AdmissionRequest } from './admission.ts';

/*
 * Decides whether a webhook or a policy matches a request, as
 * k8s.io/apiserver/pkg/admission/plugin/webhook/predicates does.
 */

/** The other resources that serve the same stored objects. */
export function equivalents(
  definition: ResourceDefinition,
  registry: ResourceRegistry,
): ResourceDefinition[] {
  const keyspace = keyspaceOf(definition);
  return registry.all.filter(
    (candidate) =>
      candidate !== definition && candidate.isReview !== true && keyspaceOf(candidate) === keyspace,
  );
}

export function matchesRule(
  rule: OperationRule,
  { operation, subresource }: AdmissionRequest,
  definition: ResourceDefinition,
): boolean {
  const has = (values: readonly string[] | undefined, value: string): boolean =>
    (values ?? []).some((candidate) => candidate === '*' || candidate === value);
  return (
    matchesScope(rule.scope ?? '*', definition) &&
    has(rule.operations, operation) &&
    has(rule.apiGroups, definition.group) &&
    has(rule.apiVersions, definition.version) &&
    (rule.resources ?? []).some((entry) => {
      const [resource = '', ofRule = ''] = entry.split('/');
      return (
        (resource === '*' || resource === definition.plural) && (ofRule === '*' || ofRule === subresource)
      );
    })
  );
}

function matchesScope(scope: string, definition: ResourceDefinition): boolean {
  if (scope === 'Namespaced') {
    return definition.namespaced;
  }
  if (scope === 'Cluster') {
    return !definition.namespaced;
  }
  return true;
}

/** Throws 404 if the namespace does not exist. */
export function matchesNamespace(selector: LabelSelector | undefined, request: AdmissionRequest): boolean {
  const { definition, operation, subresource, object, namespace, name, storage } = request;
  if (selector === undefined || isEmpty(selector)) {
    return true;
  }
  if (!definition.namespaced && !isNamespace(definition)) {
    return true;
  }
  const matches = matcherOf(selector);
  // A new or changed Namespace is matched by its new labels.
  if (isNamespace(definition) && subresource === '' && operation !== 'DELETE') {
    return matches(object?.metadata.labels);
  }
  const wanted = isNamespace(definition) ? name : namespace;
  const entry = storage.get('namespaces', '', wanted);
  if (entry === undefined) {
    throw notFound({ group: '', name: 'namespaces' }, wanted);
  }
  return matches(entry.object.metadata.labels);
}

export function matchesObject(
  selector: LabelSelector | undefined,
  { object, oldObject }: AdmissionRequest,
): boolean {
  if (selector === undefined || isEmpty(selector)) {
    return true;
  }
  const matches = matcherOf(selector);
  const isSelected = (candidate: KubeObject | undefined): boolean =>
    candidate !== undefined && isObject(candidate.metadata) && matches(candidate.metadata.labels);
  return isSelected(object) || isSelected(oldObject);
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
