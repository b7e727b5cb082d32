import type { ObjectRef } from '@holdfast/core';
import type { Status } from '../wire/status.ts';
import type { Answered } from './answered.ts';
import type { DeleteOptions } from './api-client.ts';
import { isKeptByBudget, reasonOfBudget } from './disruption-budget.ts';
import type { RefOf } from './scope.ts';
import { podEviction } from './subresource.ts';
import type { ClientVerbs } from './verbs.ts';

/** The result of an eviction. */
export type Evicted =
  /** The pod is deleted, or terminating. */
  | Answered<Status>
  /** A PodDisruptionBudget keeps the pod for now. */
  | {
      readonly kind: 'blocked';
      /** Which budget, and why, in the API server's words. */
      readonly reason: string;
      /** When to try again, in milliseconds, if the API server says so. */
      readonly retryAfter: number | undefined;
    };

/**
 * Evicts a pod as a drain does: the API server deletes it unless a PodDisruptionBudget keeps it. `evict` does
 * not wait for a budget.
 *
 *     const evicted = await evict(client, ref, { preconditions: { uid: pod.metadata.uid }, signal });
 *     return evicted.kind === 'blocked' ? { kind: 'requeueAfter', delay: evicted.retryAfter ?? 5_000 } : resultOfWrite(evicted);
 *
 * @param options `preconditions` guard the eviction: for another pod of this name the result is `outdated`.
 *   If the pod is Pending, kube-apiserver answers this only after ten seconds, in which it retries by itself.
 * @throws what `createSubresource` throws otherwise. If several budgets select the pod, the API server
 *   refuses to evict it, and the ApiError has code 500.
 */
export async function evict<Ref extends ObjectRef>(
  client: Pick<ClientVerbs, 'createSubresource'>,
  ref: Ref & RefOf<true, Ref>,
  { preconditions, gracePeriodSeconds, propagationPolicy, ...request }: DeleteOptions = {},
): Promise<Evicted> {
  const deleteOptions = {
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
  const pod: ObjectRef = ref;
  try {
    return await client.createSubresource(podEviction, pod, { deleteOptions }, request);
  } catch (error) {
    if (isKeptByBudget(error)) {
      return { kind: 'blocked', reason: reasonOfBudget(error), retryAfter: error.retryAfter };
    }
    throw error;
  }
}
