import { isScheduled, isTerminating, persistentVolumeClaims, pods, type Pod } from '@holdfast/core';
import {
  find,
  type AdmissionAnswer,
  type AdmissionHandler,
  type AdmissionRequest,
  type ApiClient,
} from '@holdfast/runtime';
import { claimsNamedBy } from '../decide/pod-claims.ts';

/**
 * Refuses to bind a pod to a node, and to create one that names its node already, while one of its claims is
 * terminating: what the design asks of scheduler and kubelet, whatever scheduler a cluster has (gate TerminatingClaimGuard).
 *
 * The pod and its claims are read from the API server: bindings are few in a second, and the guard is there because caches are
 * late. A pod or a claim that is not there is no reason to refuse: that is the scheduler's own business.
 */
export function createBindingGuard(client: ApiClient): AdmissionHandler {
  /** The pod that the request gives a node. */
  const podOf = async (
    { resource, subResource = '', namespace = '', name = '', object }: AdmissionRequest,
    signal: AbortSignal,
  ): Promise<Pod | undefined> => {
    if (resource.resource === pods.plural && subResource === '') {
      return object !== null && isScheduled(object) ? object : undefined;
    }
    // The request names the pod for pods/binding, and the object alone for the older bindings.
    const podName = name === '' ? (object?.metadata.name ?? '') : name;
    return find(client, pods, { namespace, name: podName }, { signal });
  };

  return async (request, signal): Promise<AdmissionAnswer> => {
    const { namespace = '' } = request;
    const pod = await podOf(request, signal);
    const named = pod === undefined ? [] : [...claimsNamedBy(pod).keys()];
    const claims = await Promise.all(
      named.map((name) => find(client, persistentVolumeClaims, { namespace, name }, { signal })),
    );
    const terminating = claims.find((claim) => claim !== undefined && isTerminating(claim));
    return terminating === undefined
      ? { kind: 'allowed' }
      : { kind: 'denied', message: `PVC (${terminating.metadata.name}) is in scheduled for deletion state` };
  };
}
