import { isTerminating, type Pod, type ReplicaSet } from '@holdfast/core';
import { countByNode, inDeletionOrder } from '../pods/deletion-order.ts';
import { isActive } from '../pods/pod-state.ts';

/** What the decision about a ReplicaSet is based on. */
export interface Snapshot {
  readonly set: ReplicaSet;
  /** The active pods of the set. */
  readonly pods: readonly Pod[];
  /**
   * The pods of all sets that have the same controller, including this set; only the pods of this set if it
   * has no controller.
   */
  readonly related: readonly Pod[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export type Scaling =
  | { readonly kind: 'create'; readonly count: number }
  | { readonly kind: 'delete'; readonly pods: readonly Pod[] }
  | { readonly kind: 'none' };

/** The maximum number of pods that one look creates or deletes; the next look continues. */
const burst = 500;

/**
 * Decides what to do about the number of pods, by the first matching line:
 *
 *     the set              pods                     answer
 *     is being deleted     any                      none: they are the garbage collector's
 *     wants n              fewer, m                 create n - m
 *     wants n              more, m                  delete m - n, see deletion-order.ts
 *     wants n              n                        none
 *
 * All pods are created at once, up to 500. Upstream's slow start, which creates 1, 2, 4 pods and so on as
 * long as none fails, is not copied.
 */
export function decide({ set, pods, related, now }: Snapshot): Scaling {
  const surplus = pods.length - wantedReplicas(set);
  if (isTerminating(set) || surplus === 0) {
    return { kind: 'none' };
  }
  if (surplus < 0) {
    return { kind: 'create', count: Math.min(-surplus, burst) };
  }
  const podsOnNode = countByNode(related.filter(isActive));
  return {
    kind: 'delete',
    pods: inDeletionOrder(pods, { podsOnNode, now }).slice(0, Math.min(surplus, burst)),
  };
}

/** `spec.replicas`, which defaults to 1. */
function wantedReplicas({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 1;
}
