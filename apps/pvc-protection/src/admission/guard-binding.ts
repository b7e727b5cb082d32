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
 * Refuses to bind a pod to a node, and to create a pod that already names its node, while one of its claims
 * is terminating. The design asks this of scheduler and kubelet; the guard enforces it for any scheduler
 * (gate TerminatingClaimGuard).
 *
 * The pod and its claims are read from the API server: there are few bindings per second, and the guard
 * exists because caches lag behind. A missing pod or claim is no reason to refuse: the scheduler deals with
 * that.
 */
export function createBindingGuard(client: ApiClient): AdmissionHandler {
  /** Returns the pod for which the request sets a node. */
  const podOf = async (
    { resource, subResource = '', namespace = '', name = '', object }: AdmissionRequest,
    signal: AbortSignal,
  ): Promise<Pod | undefined> => {
    if (resource.resource === pods.plural && subResource === '') {
      return object !== null && isScheduled(object) ? object : undefined;
    }
    // A request for pods/binding names the pod; for the older bindings only the object does.
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
