import { formatTimestamp, type Deployment, type ReplicaSet } from '@holdfast/core';
import { canonical } from '../content-hash.ts';
import { availableOf, maxUnavailable, replicasOf, totalOf } from './sizes.ts';

export type DeploymentStatus = NonNullable<Deployment['status']>;
export type Condition = NonNullable<DeploymentStatus['conditions']>[number];

/** What a status is computed from. */
export interface Observed {
  readonly deployment: Deployment;
  /** The set with the present template; undefined while there is none. */
  readonly newSet: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The sums of the sets' counts, and the condition Available. This is the whole status of a Deployment that is
 * scaled, paused or deleted.
 */
export function countedStatus({ deployment, newSet, oldSets, now }: Observed): DeploymentStatus {
  const sets = [...oldSets, ...(newSet === undefined ? [] : [newSet])];
  const sum = (count: (set: ReplicaSet) => number | undefined): number =>
    sets.reduce((total, set) => total + (count(set) ?? 0), 0);
  const available = sum(availableOf);
  const isKnown = sets.every(
    ({ status }) => status?.terminatingReplicas !== undefined || (status?.observedGeneration ?? 0) === 0,
  );
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const isAvailable = available >= replicasOf(deployment) - maxUnavailable(deployment);
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum(({ status }) => status?.replicas),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalOf(sets) - available),
    // A set whose status an older controller wrote lacks this field, and then the sum is left out too.
    ...(isKnown ? { terminatingReplicas: sum(({ status }) => status?.terminatingReplicas) } : {}),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(conditions, isAvailable ? minimumAvailable : minimumUnavailable, now),
  };
}

/**
 * The counted status plus the progress of the rollout. The first matching line decides about Progressing:
 *
 *     the rollout                                                Progressing
 *     no deadline is set                                         none
 *     was over before, no old pods                               as it is
 *     all pods are new and available, and this was seen          True, NewReplicaSetAvailable
 *     more new, ready or available pods, or fewer old ones       True, ReplicaSetUpdated, with a new time
 *     nothing of it for `progressDeadlineSeconds`                False, ProgressDeadlineExceeded
 *     else                                                       as it is
 *
 * ReplicaFailure is copied from a set; the new set's condition takes precedence.
 */
export function rolloutStatus(observed: Observed): DeploymentStatus {
  const { newSet, oldSets, now } = observed;
  const status = countedStatus(observed);
  const failure = [newSet, ...oldSets]
    .flatMap((set) => set?.status?.conditions ?? [])
    .find(({ type }) => type === 'ReplicaFailure');
  const conditions = progress(observed, status);
  return {
    ...status,
    conditions:
      failure === undefined
        ? without(conditions, 'ReplicaFailure')
        : withCondition(conditions, { reason: '', message: '', ...failure }, now),
  };
}

function progress({ deployment, newSet, now }: Observed, status: DeploymentStatus): readonly Condition[] {
  const conditions = status.conditions ?? [];
  const present = progressingOf(deployment);
  if (!hasDeadline(deployment)) {
    return without(conditions, 'Progressing');
  }
  if (status.replicas === status.updatedReplicas && present?.reason === 'NewReplicaSetAvailable') {
    return conditions;
  }
  const what =
    newSet === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${newSet.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const message = `${what} has successfully progressed.`;
    return withCondition(conditions, progressing('True', 'NewReplicaSetAvailable', message), now);
  }
  if (hasProgressed(deployment.status, status)) {
    const time = formatTimestamp(new Date(now));
    const condition = {
      ...progressing('True', 'ReplicaSetUpdated', `${what} is progressing.`),
      lastUpdateTime: time,
      lastTransitionTime: present?.status === 'True' ? (present.lastTransitionTime ?? time) : time,
    };
    return [...without(conditions, 'Progressing'), condition];
  }
  if (present?.reason !== 'ProgressDeadlineExceeded' && (deadlineIn(deployment, now) ?? 1) <= 0) {
    const message = `${what} has timed out progressing.`;
    return withCondition(conditions, progressing('False', 'ProgressDeadlineExceeded', message), now);
  }
  return conditions;
}

/**
 * Whether all pods belong to the new set and are available, and the status is that of the present generation.
 */
export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const wanted = replicasOf(deployment);
  return (
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted &&
    (status?.availableReplicas ?? 0) === wanted &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus | undefined): number =>
    (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
  );
}

/**
 * Returns the milliseconds until a rollout without progress has exceeded its deadline, 0 or less if it has.
 * Undefined if nothing is waited for: no deadline is set, no rollout is in progress, or the timeout is
 * already recorded.
 *
 * @param now milliseconds since the epoch
 */
export function deadlineIn(deployment: Deployment, now: number): number | undefined {
  const { reason, lastUpdateTime } = progressingOf(deployment) ?? {};
  const isOver = reason === 'NewReplicaSetAvailable' || reason === 'ProgressDeadlineExceeded';
  if (!hasDeadline(deployment) || isOver || lastUpdateTime === undefined) {
    return undefined;
  }
  return Date.parse(lastUpdateTime) + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000 + 1 - now;
}

const greatestInt32 = 2 ** 31 - 1;

/** The largest 32-bit integer means that there is no deadline. */
export function hasDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== greatestInt32;
}

export function progressingOf({ status }: Deployment): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Progressing');
}

/** A condition without its timestamps. */
export type Statement = Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>;

export function progressing(
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
): Statement {
  return { type: 'Progressing', status, reason, message };
}

const minimumAvailable: Statement = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};

const minimumUnavailable: Statement = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

/**
 * A condition with the same status and reason stays as it is, including its message; a new one is appended.
 */
export function withCondition(
  conditions: readonly Condition[],
  { type, status, reason, message }: Statement,
  now: number,
): readonly Condition[] {
  const present = conditions.find((condition) => condition.type === type);
  if (present?.status === status && present.reason === reason) {
    return conditions;
  }
  const time = formatTimestamp(new Date(now));
  const lastTransitionTime = present?.status === status ? (present.lastTransitionTime ?? time) : time;
  return [
    ...without(conditions, type),
    { type, status, lastUpdateTime: time, lastTransitionTime, reason, message },
  ];
}

function without(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

/** Whether the Deployment already has this status. JSON leaves out zeros and empty lists. */
export function hasStatus({ status = {} }: Deployment, wanted: DeploymentStatus): boolean {
  return comparable(status) === comparable(wanted);
}

function comparable({ terminatingReplicas, conditions = [], ...counts }: DeploymentStatus): string {
  const numbers = Object.entries(counts).filter(([, count]) => count !== 0);
  return canonical({ ...Object.fromEntries(numbers), terminatingReplicas, conditions });
}
