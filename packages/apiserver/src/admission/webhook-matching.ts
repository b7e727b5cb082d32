import { isObject } from '../meta/json.ts';
import { type KubeObject, type LabelSelector } from '../meta/kube-object.ts';
import { notFound } from '../meta/status-error.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { type ResourceDefinition, isNamespace, keyspaceOf } from '../resources/resource-definition.ts';
import { type Webhook, type WebhookRule, webhookGroup } from '../resources/webhook-configuration.ts';
import { matcherOf } from '../selectors/label-selector.ts';
import type { AdmissionRequest } from './admission.ts';

/**
 * In which of its forms a webhook is sent the object of a request; undefined when it is not called. The rules of
 * k8s.io/apiserver/pkg/admission/plugin/webhook (rules, predicates/namespace, predicates/object). Throws 404 when the
 * namespace to select by is not there.
 */
export function matchingForm(
  webhook: Webhook,
  request: AdmissionRequest,
  registry: ResourceRegistry,
): ResourceDefinition | undefined {
  const { definition } = request;
  // Nothing could be repaired if a webhook could refuse to be unregistered.
  if (definition.group === webhookGroup) {
    return undefined;
  }
  const forms =
    webhook.matchPolicy === 'Exact' ? [definition] : [definition, ...equivalents(definition, registry)];
  const rules = webhook.rules ?? [];
  const form = forms.find((candidate) => rules.some((rule) => matchesRule(rule, request, candidate)));
  if (form === undefined) {
    return undefined;
  }
  return matchesNamespace(webhook.namespaceSelector, request) &&
    matchesObject(webhook.objectSelector, request)
    ? form
    : undefined;
}

/** Other kinds served from the same stored objects. */
function equivalents(definition: ResourceDefinition, registry: ResourceRegistry): ResourceDefinition[] {
  const keyspace = keyspaceOf(definition);
  return registry.all.filter(
    (candidate) =>
      candidate !== definition && candidate.isReview !== true && keyspaceOf(candidate) === keyspace,
  );
}

function matchesRule(
  rule: WebhookRule,
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

function matchesNamespace(selector: LabelSelector | undefined, request: AdmissionRequest): boolean {
  const { definition, operation, subresource, object, namespace, name, storage } = request;
  if (selector === undefined || isEmpty(selector)) {
    return true;
  }
  if (!definition.namespaced && !isNamespace(definition)) {
    return true;
  }
  const matches = matcherOf(selector);
  // A namespace that is made or changed is judged by what it will be.
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

function matchesObject(
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
