import type { ObjectRef } from '@holdfast/core';
import type { Status } from '../wire/status.ts';
import type { Answered } from './answered.ts';
import type { DeleteOptions } from './api-client.ts';
import { isKeptByBudget, reasonOfBudget } from './disruption-budget.ts';
import type { RefOf } from './scope.ts';
import { podEviction } from './subresource.ts';
import type { ClientVerbs } from './verbs.ts';

/** What became of an eviction. */
export type Evicted =
  /** The pod is deleted, or terminating. */
  | Answered<Status>
  /** A PodDisruptionBudget keeps the pod for now. */
  | {
      readonly kind: 'blocked';
      /** Which budget, and why, in the API server's words. */
      readonly reason: string;
      /** When to try again, where the API server says so, milliseconds. */
      readonly retryAfter: number | undefined;
    };

/**
 * Evicts a pod, as a drain does: deleted unless a PodDisruptionBudget keeps it. A budget is not waited for.
 *
 *     const evicted = await evict(client, ref, { preconditions: { uid: pod.metadata.uid }, signal });
 *     return evicted.kind === 'blocked' ? { kind: 'requeueAfter', delay: evicted.retryAfter ?? 5_000 } : resultOfWrite(evicted);
 *
 * @param options `preconditions` guard it: another pod of this name is answered with `outdated`. Of a pod that is Pending, kube-apiserver says so after ten seconds only, in which it
 *   tries again by itself.
 * @throws what `createSubresource` throws otherwise; for a pod of several budgets, which the API server refuses to evict, an ApiError of code 500.
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
