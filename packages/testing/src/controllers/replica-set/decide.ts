import { isTerminating, type Pod, type ReplicaSet } from '@holdfast/core';
import { countByNode, inDeletionOrder } from '../pods/deletion-order.ts';
import { isActive } from '../pods/pod-state.ts';

/** What a ReplicaSet is decided on. */
export interface Snapshot {
  readonly set: ReplicaSet;
  /** The set's active pods. */
  readonly pods: readonly Pod[];
  /** The pods of all sets that have the same controller, its own with them, or only its own where it has none. */
  readonly related: readonly Pod[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export type Scaling =
  | { readonly kind: 'create'; readonly count: number }
  | { readonly kind: 'delete'; readonly pods: readonly Pod[] }
  | { readonly kind: 'none' };

/** How many pods are made or deleted in one look; the next one goes on. */
const burst = 500;

/**
 * What is to be done about the number of pods. The first line that holds decides:
 *
 *     the set              pods                     answer
 *     is being deleted     any                      none: they are the garbage collector's
 *     wants n              fewer, m                 create n - m
 *     wants n              more, m                  delete m - n, see deletion-order.ts
 *     wants n              n                        none
 *
 * All at once, up to 500: upstream's slow start, which makes 1, 2, 4 pods and so on as long as none fails, is not copied.
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

/** `spec.replicas`, which is 1 where it is left out. */
function wantedReplicas({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 1;
}
