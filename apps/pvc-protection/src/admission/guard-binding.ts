import {
  isScheduled,
  isTerminating,
  persistentVolumeClaims,
  pods,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import {
  find,
  listNamed,
  type AdmissionAnswer,
  type AdmissionHandler,
  type AdmissionRequest,
  type ApiClient,
} from '@holdfast/runtime';
import { claimsNamedBy } from '../decide/pod-claims.ts';
import { slimClaim } from '../slim.ts';

/**
 * The most claims that are read one by one. The API server accepts a pod that names 30,000 of them: a request for
 * each would take the callers' whole rate limit for minutes, and hundreds of megabytes.
 */
const few = 16;

/**
 * Refuses to bind a pod to a node, and to create a pod that already names its node, while one of its claims
 * is terminating. The design asks this of scheduler and kubelet; the guard enforces it for any scheduler
 * (gate TerminatingClaimGuard).
 *
 * The pod and its claims are read from the API server: there are few bindings per second, and the guard
 * exists because caches lag behind. A missing pod or claim is no reason to refuse: the scheduler deals with
 * that.
 */
export function createBindingGuard(client: Pick<ApiClient, 'get' | 'listPages'>): AdmissionHandler {
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

  /** Returns one of these claims that is terminating; undefined if none is. */
  const terminatingOf = async (
    namespace: string,
    names: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<PersistentVolumeClaim | undefined> => {
    if (names.size <= few) {
      const claims = await Promise.all(
        [...names].map((name) => find(client, persistentVolumeClaims, { namespace, name }, { signal })),
      );
      return claims.find((claim) => claim !== undefined && isTerminating(claim));
    }
    const all = listNamed(client, persistentVolumeClaims, {
      namespace,
      names,
      projection: slimClaim,
      signal,
    });
    for await (const claim of all) {
      if (isTerminating(claim)) {
        return claim;
      }
    }
    return undefined;
  };

  return async (request, signal): Promise<AdmissionAnswer> => {
    const { namespace = '' } = request;
    const pod = await podOf(request, signal);
    const names = new Set(pod === undefined ? [] : claimsNamedBy(pod).keys());
    const terminating = await terminatingOf(namespace, names, signal);
    return terminating === undefined
      ? { kind: 'allowed' }
      : { kind: 'denied', message: `PVC (${terminating.metadata.name}) is in scheduled for deletion state` };
  };
}
