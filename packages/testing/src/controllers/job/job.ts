import { hasFinalizer, isTerminating, type Job, type Pod } from '@holdfast/core';
import { indexOf } from './indexes.ts';

/** What a Job's spec and status say, with defaults for the fields that are left out. */

/** Keeps a pod until it is counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

export type JobStatus = NonNullable<Job['status']>;
export type JobCondition = NonNullable<JobStatus['conditions']>[number];

export function isSuspended({ spec }: Job): boolean {
  return spec?.suspend === true;
}

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === 'Indexed';
}

/** Whether the pod's index is one of the Job's. Every pod of a Job without indexes passes. */
export function isOfJob(job: Job, pod: Pod): boolean {
  const index = indexOf(pod);
  return !isIndexed(job) || (index !== undefined && index < (job.spec?.completions ?? 0));
}

/** Whether pods are replaced only once they have ended, instead of as soon as they are being deleted. */
export function waitsForEnds({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;
}

/** A pod that is being deleted counts as failed, unless the Job waits for its end. */
export function hasFailed(job: Job, pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  return phase === 'Failed' || (!waitsForEnds(job) && isTerminating(pod) && phase !== 'Succeeded');
}

export function isTracked(pod: Pod): boolean {
  return hasFinalizer(pod, trackingFinalizer);
}

/** The condition of that type if its status is True. */
export function conditionOf({ status }: Job, type: string): JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** The condition Complete or Failed, which is final. */
export function finishOf(job: Job): JobCondition | undefined {
  return conditionOf(job, 'Complete') ?? conditionOf(job, 'Failed');
}
