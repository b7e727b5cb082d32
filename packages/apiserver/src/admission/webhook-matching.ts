import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { type Webhook, admissionGroup } from '../resources/webhook-configuration.ts';
import type { AdmissionRequest } from './admission.ts';
import { equivalents, matchesNamespace, matchesObject, matchesRule } from './rule-matching.ts';

/**
 * The form in which a webhook receives the object of a request; undefined if the webhook is not called. The
 * rules are those of k8s.io/apiserver/pkg/admission/plugin/webhook (rules, predicates/namespace,
 * predicates/object). Throws 404 if a namespaceSelector needs a namespace that does not exist.
 */
export function matchingForm(
  webhook: Webhook,
  request: AdmissionRequest,
  registry: ResourceRegistry,
): ResourceDefinition | undefined {
  const { definition } = request;
  // A webhook that could refuse its own removal could never be repaired.
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
