import { hasFinalizer, isTerminating, type Job, type Pod } from '@holdfast/core';
import { indexOf } from './indexes.ts';

/** What a Job's spec and status say, with the defaults of what is left out. */

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

/** Whether an index is one of the Job's; all pods of a Job without indexes pass. */
export function isOfJob(job: Job, pod: Pod): boolean {
  const index = indexOf(pod);
  return !isIndexed(job) || (index !== undefined && index < (job.spec?.completions ?? 0));
}

/** Whether pods are made anew only once the former ones are over; else as soon as these are being deleted. */
export function waitsForEnds({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;
}

/** A pod that is being deleted counts as failed, unless its end is waited for. */
export function hasFailed(job: Job, pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  return phase === 'Failed' || (!waitsForEnds(job) && isTerminating(pod) && phase !== 'Succeeded');
}

export function isTracked(pod: Pod): boolean {
  return hasFinalizer(pod, trackingFinalizer);
}

/** The condition of that type, where it holds. */
export function conditionOf({ status }: Job, type: string): JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** Complete or Failed, for good. */
export function finishOf(job: Job): JobCondition | undefined {
  return conditionOf(job, 'Complete') ?? conditionOf(job, 'Failed');
}
