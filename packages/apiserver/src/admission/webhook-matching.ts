import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { type Webhook, admissionGroup } from '../resources/webhook-configuration.ts';
import type { AdmissionRequest } from './admission.ts';
import { equivalents, matchesNamespace, matchesObject, matchesRule } from './rule-matching.ts';

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
  if (definition.group === admissionGroup) {
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
