import type { KubeObject } from '../meta/kube-object.ts';
import { type Preconditions, checkPreconditions } from '../meta/preconditions.ts';
import { badRequest, internalError } from '../meta/status-error.ts';
import { formatTime } from '../schema/decode.ts';
import { podDisruptionBudgets } from './described/disruption-budgets.ts';
import { type DisruptionBudget, decideEviction } from './disruption.ts';
import type { Pod } from './pod-object.ts';
import type { ActionServer, SubresourceAction } from './resource-definition.ts';

interface Eviction extends KubeObject {
  deleteOptions?: {
    gracePeriodSeconds?: number;
    preconditions?: { uid?: string; resourceVersion?: string };
    dryRun?: string[];
  };
}

/** pods/eviction: a deletion that a disruption budget can refuse. */
export const podEviction: SubresourceAction = {
  name: 'eviction',
  group: 'policy',
  version: 'v1',
  kind: 'Eviction',
  verbs: ['create'],
  struct: 'policy.v1.Eviction',
  async serve(body: KubeObject, server) {
    await server.admit(body);
    const { metadata, deleteOptions: options = {} } = body as Eviction;
    if (metadata.name !== undefined && metadata.name !== server.name) {
      throw badRequest('name in URL does not match name in Eviction object');
    }
    const { gracePeriodSeconds, dryRun = [], preconditions = {} } = options;
    const isDryRun = server.isDryRun || dryRun.length > 0;
    const budgets = server.list(podDisruptionBudgets) as DisruptionBudget[];
    const decision = decideEviction(server.current() as Pod, budgets, server.now());
    switch (decision.kind) {
      case 'refuse':
        throw decision.error;
      case 'undecided':
        throw internalError(
          'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        );
      case 'evict and count':
        if (!isDryRun) {
          await server.writeStatus(podDisruptionBudgets, decision.budget);
        }
        break;
      case 'evict':
        break;
    }
    await server.delete({
      gracePeriodSeconds,
      preconditions: isDryRun ? preconditions : await markEvicted(server, preconditions),
      isDryRun,
    });
    return { kind: 'done' };
  },
};

/**
 * Adds the condition DisruptionTarget before the pod is deleted. Returns the preconditions for the deletion.
 */
async function markEvicted(server: ActionServer, preconditions: Preconditions): Promise<Preconditions> {
  const { metadata } = await server.change('status', (existing) => {
    const pod = existing as Pod;
    checkPreconditions({ group: '', name: 'Pod' }, pod.metadata, preconditions);
    const others = (pod.status.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: formatTime(server.now()),
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    };
    return {
      ...pod,
      metadata: { ...pod.metadata },
      status: { ...pod.status, conditions: [...others, condition] },
    };
  });
  const { resourceVersion } = metadata;
  // Writing the condition changed the resourceVersion that the client required.
  return preconditions.resourceVersion === undefined || resourceVersion === undefined
    ? preconditions
    : { ...preconditions, resourceVersion };
}
