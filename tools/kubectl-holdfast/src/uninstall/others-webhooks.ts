import type { KubernetesObject } from '@holdfast/core';

export interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks?: readonly {
    readonly clientConfig?: { readonly service?: { readonly namespace?: string } };
  }[];
}

/** The name of pvc-protection's webhook configurations, unless a flag says otherwise. */
export const defaultConfigurationName = 'holdfast-pvc-protection';

/**
 * Decides whether a webhook configuration that a Deployment names might be that of others. Webhook configurations are
 * cluster-scoped, and whoever may create Deployments in some namespace chooses the flags of one that is labelled as
 * Holdfast's. So the name in a flag shows nothing, and others' configuration must not be deleted for it:
 *
 * | webhooks                                     | default name, or labelled as part of Holdfast | answer       |
 * |----------------------------------------------|-----------------------------------------------|--------------|
 * | one has a service in another namespace       | -                                             | of others    |
 * | all have services in the Deployment's        | -                                             | its own      |
 * | none, or one without a service (a URL)       | yes                                           | its own      |
 * | the same                                     | no                                            | of others    |
 *
 * @param namespace of the Deployment
 * @returns what shows that it might be of others, as the end of a sentence; undefined if it is the Deployment's own
 */
export function whyOfOthers(
  { metadata: { name, labels = {} }, webhooks = [] }: WebhookConfiguration,
  namespace: string,
): string | undefined {
  const namespaces = webhooks.flatMap(({ clientConfig }) => clientConfig?.service?.namespace ?? []);
  const elsewhere = namespaces.find((each) => each !== namespace);
  if (elsewhere !== undefined) {
    return `its service is in namespace ${elsewhere}`;
  }
  const isHere = webhooks.length > 0 && namespaces.length === webhooks.length;
  const isNamed = name === defaultConfigurationName || labels['app.kubernetes.io/part-of'] === 'holdfast';
  return isHere || isNamed
    ? undefined
    : `neither a service in namespace ${namespace} nor label app.kubernetes.io/part-of=holdfast shows that it is Holdfast's`;
}
