import {
  claimUses,
  isTerminating,
  persistentVolumeClaims,
  pods,
  type ApiResource,
  type KubernetesObject,
  type ObjectRef,
} from '@holdfast/core';
import { isNotFound, type AdmissionAnswer, type AdmissionHandler, type ApiClient } from '@holdfast/runtime';

/**
 * Refuses to bind a pod to a node while one of its claims is terminating: the seed's scheduler and kubelet parts, for whatever
 * scheduler there is (gate TerminatingClaimGuard).
 *
 * The API server is asked for the pod and for each of its claims: a scheduler asks for few pods a second, and a cache that is
 * late is just what the guard is against. What is not there refuses nothing: that is the scheduler's own business.
 */
export function createBindingGuard(client: ApiClient): AdmissionHandler {
  const find = async <T extends KubernetesObject>(
    resource: ApiResource<T>,
    ref: ObjectRef,
    signal: AbortSignal,
  ): Promise<T | undefined> => {
    try {
      return await client.get(resource, ref, { signal });
    } catch (error) {
      if (isNotFound(error)) {
        return undefined;
      }
      throw error;
    }
  };

  return async ({ namespace = '', name = '', object }, signal): Promise<AdmissionAnswer> => {
    // The request names the pod for pods/binding, and the object alone for the older bindings.
    const pod = await find(
      pods,
      { namespace, name: name === '' ? (object?.metadata.name ?? '') : name },
      signal,
    );
    const uses = pod === undefined ? [] : claimUses(pod);
    const claims = await Promise.all(
      uses.map(({ claimName }) => find(persistentVolumeClaims, { namespace, name: claimName }, signal)),
    );
    const terminating = claims.find((claim) => claim !== undefined && isTerminating(claim));
    return terminating === undefined
      ? { kind: 'allowed' }
      : { kind: 'denied', message: `PVC (${terminating.metadata.name}) is in scheduled for deletion state` };
  };
}
