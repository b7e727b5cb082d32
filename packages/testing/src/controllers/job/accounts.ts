import { formatTimestamp, isTerminating, type Job, type Pod } from '@holdfast/core';
import { canonical } from '../content-hash.ts';
import { isActive, isEnding, isReady } from '../pods/pod-state.ts';
import { formatIndexes, indexOf, parseIndexes } from './indexes.ts';
import {
  conditionOf,
  hasFailed,
  isIndexed,
  isOfJob,
  isSuspended,
  isTracked,
  type JobCondition,
  type JobStatus,
} from './job.ts';

/** A Job and its pods. */
export interface Situation {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The status that a Job should have, and what is new in it. */
export interface Accounts {
  readonly status: JobStatus;
  /** All pods that have succeeded, counted or not. */
  readonly succeeded: number;
  /** Pods that have ended or were deleted and that the Job's present status does not include yet. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
}

/**
 * Counts a pod in three writes, so that no pod is counted twice or forgotten, at whatever point the
 * controller dies: its UID is added to the uncounted ones, its finalizer is removed, and then the count
 * changes. An index of an Indexed Job that succeeded needs no UID.
 *
 *     a pod                                                in the status
 *     tracked, Succeeded                                   uncounted.succeeded; with indexes, its index in completedIndexes
 *     tracked, Failed, or being deleted (see hasFailed)    uncounted.failed
 *     tracked, of a Job that has failed                    uncounted.failed
 *     uncounted, no longer tracked                         one more in succeeded or failed
 *     with an index that is none of the Job's              not counted
 *
 * The first matching line decides about the conditions:
 *
 *     the Job                                                     conditions
 *     SuccessCriteriaMet or FailureTarget, nothing left to count,
 *       no pod is active, being deleted or tracked                Complete or Failed as well, with the same reason
 *     SuccessCriteriaMet or FailureTarget                         as they are
 *     more pods have failed than `backoffLimit`, or containers
 *       were restarted as often (OnFailure)                       FailureTarget, BackoffLimitExceeded
 *     runs for `activeDeadlineSeconds`                            FailureTarget, DeadlineExceeded
 *     `completions` have succeeded, or one where none are asked
 *       for, and no pod is active                                 SuccessCriteriaMet, CompletionsReached
 *     is suspended                                                Suspended True, JobSuspended, and no start time
 *     is suspended no longer                                      Suspended False, JobResumed, and a new start time
 */
export function accountsOf({ job, pods, now }: Situation): Accounts {
  const { spec, status: before = {} } = job;
  const tracked = pods.filter(isTracked);
  const trackedUids = new Set(tracked.map(({ metadata }) => metadata.uid));
  const known = new Set([
    ...(before.uncountedTerminatedPods?.succeeded ?? []),
    ...(before.uncountedTerminatedPods?.failed ?? []),
  ]);
  const fresh = tracked.filter((pod) => !known.has(pod.metadata.uid) && isOfJob(job, pod));

  const completed = new Set(parseIndexes(before.completedIndexes, spec?.completions ?? 0));
  const newlySucceeded = fresh.filter(
    (pod) => pod.status?.phase === 'Succeeded' && !completed.has(indexOf(pod) ?? -1),
  );
  const newlyFailed = fresh.filter((pod) => hasFailed(job, pod));
  for (const pod of isIndexed(job) ? newlySucceeded : []) {
    completed.add(indexOf(pod) ?? 0);
  }

  const waiting = (uids: readonly string[] = []): readonly string[] =>
    uids.filter((uid) => trackedUids.has(uid));
  const counted = (uids: readonly string[] = []): number => uids.length - waiting(uids).length;
  const uncountedSucceeded = [
    ...waiting(before.uncountedTerminatedPods?.succeeded),
    ...(isIndexed(job) ? [] : newlySucceeded.map(({ metadata }) => metadata.uid)),
  ];
  const uncountedFailed = [
    ...waiting(before.uncountedTerminatedPods?.failed),
    ...newlyFailed.map(({ metadata }) => metadata.uid),
  ];
  const succeeded = isIndexed(job)
    ? completed.size
    : (before.succeeded ?? 0) + counted(before.uncountedTerminatedPods?.succeeded);
  const failed = (before.failed ?? 0) + counted(before.uncountedTerminatedPods?.failed);
  const allSucceeded = isIndexed(job) ? succeeded : succeeded + uncountedSucceeded.length;

  const active = pods.filter(isActive);
  const interim =
    interimOf(job) ??
    nextInterim({ job, pods, now }, allSucceeded, failed + uncountedFailed.length, active.length);
  const isFailing = interim?.type === 'FailureTarget';
  const swept = isFailing
    ? fresh.filter((pod) => pod.status?.phase !== 'Succeeded' && !newlyFailed.includes(pod))
    : [];

  const uncounted = {
    ...(uncountedSucceeded.length === 0 ? {} : { succeeded: uncountedSucceeded }),
    ...(uncountedFailed.length + swept.length === 0
      ? {}
      : { failed: [...uncountedFailed, ...swept.map(({ metadata }) => metadata.uid)] }),
  };
  const terminating = pods.filter(isEnding).length;
  const isSettled =
    interimOf(job) !== undefined &&
    Object.keys(uncounted).length === 0 &&
    [active.length, terminating, tracked.length].every((count) => count === 0);
  return {
    status: {
      ...withConditions(job, interim, isSettled, now),
      active: active.length,
      ready: active.filter(isReady).length,
      terminating,
      succeeded,
      failed,
      uncountedTerminatedPods: uncounted,
      ...(isIndexed(job) ? { completedIndexes: formatIndexes(completed) } : {}),
    },
    succeeded: allSucceeded,
    newlySucceeded,
    newlyFailed,
  };
}

/** The condition that says how the Job will end, while its pods are still to be ended and counted. */
export function interimOf(job: Job): JobCondition | undefined {
  return conditionOf(job, 'SuccessCriteriaMet') ?? conditionOf(job, 'FailureTarget');
}

function nextInterim(
  { job, pods, now }: Situation,
  succeeded: number,
  failed: number,
  active: number,
): JobCondition | undefined {
  const { spec } = job;
  if (failed > (spec?.backoffLimit ?? 6) || isRestartedTooOften(job, pods)) {
    const message = 'Job has reached the specified backoff limit';
    return condition('FailureTarget', 'BackoffLimitExceeded', message, now);
  }
  const left = activeDeadlineIn(job, now);
  if (left !== undefined && left <= 0) {
    const message = 'Job was active longer than specified deadline';
    return condition('FailureTarget', 'DeadlineExceeded', message, now);
  }
  const isReached = spec?.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
  if (isReached && active === 0) {
    const message = 'Reached expected number of succeeded pods';
    return condition('SuccessCriteriaMet', 'CompletionsReached', message, now);
  }
  return undefined;
}

/** Restarts of containers within a pod do not make the pod fail, so they are counted separately. */
function isRestartedTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== 'OnFailure') {
    return false;
  }
  const restarts = pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return restarts > 0 && restarts >= (spec.backoffLimit ?? 6);
}

/**
 * Returns the milliseconds until the Job has been active for `activeDeadlineSeconds`, 0 or less if it has.
 * Undefined if the Job has no such limit or does not run.
 *
 * @param now milliseconds since the epoch
 */
export function activeDeadlineIn(job: Job, now: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec ?? {};
  const { startTime } = job.status ?? {};
  return activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job)
    ? undefined
    : Date.parse(startTime) + activeDeadlineSeconds * 1000 - now;
}

function withConditions(
  job: Job,
  interim: JobCondition | undefined,
  isSettled: boolean,
  now: number,
): Pick<JobStatus, 'conditions' | 'startTime' | 'completionTime'> {
  const { conditions = [], completionTime, startTime } = job.status ?? {};
  const time = formatTimestamp(new Date(now));
  const started = startTime ?? (isSuspended(job) ? undefined : time);
  const start = started === undefined ? {} : { startTime: started };
  const end = completionTime === undefined ? {} : { completionTime };
  if (interim !== undefined) {
    const isNew = !conditions.includes(interim);
    const isSuccess = interim.type === 'SuccessCriteriaMet';
    const { reason = '', message = '' } = interim;
    return {
      ...start,
      ...(isSettled && isSuccess ? { completionTime: time } : end),
      conditions: [
        ...conditions,
        ...(isNew ? [interim] : []),
        ...(isSettled ? [condition(isSuccess ? 'Complete' : 'Failed', reason, message, now)] : []),
      ],
    };
  }
  const present = conditions.find(({ type }) => type === 'Suspended');
  const isSaid = present?.status === 'True';
  if (isTerminating(job) || isSuspended(job) === isSaid) {
    return { ...start, ...end, conditions };
  }
  const said = isSuspended(job)
    ? condition('Suspended', 'JobSuspended', 'Job suspended', now)
    : { ...condition('Suspended', 'JobResumed', 'Job resumed', now), status: 'False' };
  return {
    ...(isSuspended(job) ? {} : { startTime: time }),
    ...end,
    conditions:
      present === undefined
        ? [...conditions, said]
        : conditions.map((each) => (each === present ? said : each)),
  };
}

function condition(type: string, reason: string, message: string, now: number): JobCondition {
  const time = formatTimestamp(new Date(now));
  return { type, status: 'True', lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/**
 * Whether the Job already has this status. JSON leaves out zeros, empty texts and empty lists, except for
 * `ready` and `terminating`.
 */
export function hasStatus({ status = {} }: Job, wanted: JobStatus): boolean {
  return comparable(status) === comparable(wanted);
}

function comparable({ ready, terminating, conditions = [], ...rest }: JobStatus): string {
  const fields = Object.entries(rest).filter(([, value]) => value !== 0 && value !== '');
  return canonical({ ...Object.fromEntries(fields), ready, terminating, conditions });
}
