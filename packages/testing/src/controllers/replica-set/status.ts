import { formatTimestamp, type Pod, type ReplicaSet } from '@holdfast/core';
import { availableIn, isReady } from '../pods/pod-state.ts';
import type { Scaling } from './decide.ts';

export type ReplicaSetStatus = NonNullable<ReplicaSet['status']>;

/** What a status is computed from. */
export interface Counted {
  readonly set: ReplicaSet;
  /** The set's active pods before the look. */
  readonly pods: readonly Pod[];
  /** How many of the set's pods are being deleted and have not ended yet. */
  readonly terminating: number;
  /** Why pods could not be created or deleted in this look; undefined if nothing failed. */
  readonly failure: { readonly of: Scaling['kind']; readonly message: string } | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Returns the status as calculateStatus of pkg/controller/replicaset computes it:
 *
 *     replicas               active pods
 *     fullyLabeledReplicas   of these, those that have all labels of the template
 *     readyReplicas          of these, the ready ones
 *     availableReplicas      ready for `minReadySeconds`
 *     terminatingReplicas    pods that are being deleted
 *     ReplicaFailure         True with FailedCreate or FailedDelete while that fails, else absent
 */
export function statusOf({ set, pods, terminating, failure, now }: Counted): ReplicaSetStatus {
  const count = (holds: (pod: Pod) => boolean): number => pods.filter(holds).length;
  const wanted = Object.entries(set.spec?.template?.metadata?.labels ?? {});
  return {
    replicas: pods.length,
    fullyLabeledReplicas: count(({ metadata: { labels = {} } }) =>
      wanted.every(([key, value]) => labels[key] === value),
    ),
    readyReplicas: count(isReady),
    availableReplicas: count((pod) => availableIn(pod, minReadySecondsOf(set), now) === 0),
    terminatingReplicas: terminating,
    observedGeneration: set.metadata.generation ?? 0,
    conditions: conditions(set, failure, now),
  };
}

export function minReadySecondsOf({ spec }: ReplicaSet): number {
  return spec?.minReadySeconds ?? 0;
}

/** Whether the set already has this status. JSON leaves out zeros and empty lists. */
export function hasStatus({ status = { replicas: 0 } }: ReplicaSet, wanted: ReplicaSetStatus): boolean {
  const numbers = (of: ReplicaSetStatus): readonly number[] => [
    of.replicas,
    of.fullyLabeledReplicas ?? 0,
    of.readyReplicas ?? 0,
    of.availableReplicas ?? 0,
    of.terminatingReplicas ?? -1,
    of.observedGeneration ?? 0,
  ];
  return (
    String(numbers(status)) === String(numbers(wanted)) &&
    JSON.stringify(status.conditions ?? []) === JSON.stringify(wanted.conditions)
  );
}

type Condition = NonNullable<ReplicaSetStatus['conditions']>[number];

/** A failure that continues keeps the time and the message of its beginning. */
function conditions({ status }: ReplicaSet, failure: Counted['failure'], now: number): readonly Condition[] {
  const present = status?.conditions ?? [];
  if (failure === undefined) {
    return present.filter(({ type }) => type !== 'ReplicaFailure');
  }
  if (present.some(({ type }) => type === 'ReplicaFailure')) {
    return present;
  }
  return [
    ...present,
    {
      type: 'ReplicaFailure',
      status: 'True',
      lastTransitionTime: formatTimestamp(new Date(now)),
      reason: failure.of === 'create' ? 'FailedCreate' : 'FailedDelete',
      message: failure.message,
    },
  ];
}
