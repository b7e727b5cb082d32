import { type FieldError, duplicate, invalid, invalidAsAWhole, required } from '../../meta/field-error.ts';
import { jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { goValue } from '../go-diff.ts';
import { notNegative } from '../numbers.ts';
import { readIndexes, sharedIndex } from './job-indexes.ts';
import type { JobSpec, JobStatus } from './job.ts';

/*
 * Validates the status of a job. It must be consistent, and must not undo what is final. Most rules apply
 * only to what the write changes.
 */

interface Job extends KubeObject {
  spec: JobSpec;
  status: JobStatus;
}

const hasCondition = ({ conditions = [] }: JobStatus, type: string, status: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === status);

/** Whether a job has the condition with status True. */
export const isTrueOf = (status: JobStatus, type: string): boolean => hasCondition(status, type, 'True');

const isFinished = (status: JobStatus): boolean => isTrueOf(status, 'Complete') || isTrueOf(status, 'Failed');

export function validateJobStatus(job: Job, old: Job): FieldError[] {
  return [
    ...notNegative(job.status, 'status', ['active', 'succeeded', 'failed', 'ready', 'terminating']),
    ...validateUncounted(job.status),
    ...validateConditions(job.status, old.status),
    ...validateTimes(job.status, old.status),
    ...validateEnd(job, old),
    ...validateIndexes(job, old),
    ...validateReady(job.status, old.status),
    ...validateSuccess(job),
    ...validateChange(job, old),
  ];
}

const wrongConditions = (problem: string): FieldError => invalidAsAWhole('status.conditions', problem);

function validateUncounted({ uncountedTerminatedPods: pods = {} }: JobStatus): FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((field) =>
    (pods[field] ?? []).flatMap((uid, index) => {
      const at = `status.uncountedTerminatedPods.${field}[${index}]`;
      if (uid === '') {
        return [invalid(at, uid, 'must not be empty')];
      }
      const isSeen = seen.has(uid);
      seen.add(uid);
      return isSeen ? [duplicate(at, uid)] : [];
    }),
  );
}

/** Validates conditions that exclude each other, or of which one must precede the other. */
function validateConditions(status: JobStatus, old: JobStatus): FieldError[] {
  const is = (type: string): boolean => isTrueOf(status, type);
  const isChanged = (type: string): boolean => is(type) !== isTrueOf(old, type);
  const errors: FieldError[] = [];
  if ((isChanged('Complete') || isChanged('Failed')) && is('Complete') && is('Failed')) {
    errors.push(wrongConditions('cannot set Complete=True and Failed=true conditions'));
  }
  if ((isChanged('Complete') || isChanged('FailureTarget')) && is('Complete') && is('FailureTarget')) {
    errors.push(wrongConditions('cannot set Complete=True and FailureTarget=true conditions'));
  }
  return errors;
}

function validateTimes(status: JobStatus, old: JobStatus): FieldError[] {
  const { startTime, completionTime } = status;
  const isComplete = isTrueOf(status, 'Complete');
  const isEndChanged = completionTime !== old.completionTime;
  const isAsked = isEndChanged || isComplete !== isTrueOf(old, 'Complete');
  const path = 'status.completionTime';
  const isEarly =
    startTime !== undefined &&
    completionTime !== undefined &&
    Date.parse(completionTime) < Date.parse(startTime);
  return [
    ...(isAsked && completionTime !== undefined && !isComplete
      ? [invalid(path, completionTime, 'cannot set completionTime when there is no Complete=True condition')]
      : []),
    ...(isAsked && completionTime === undefined && isComplete
      ? [required(path, 'completionTime is required for Complete jobs')]
      : []),
    ...(isEarly && (isEndChanged || startTime !== old.startTime)
      ? [invalid(path, completionTime, 'must be equal to or after `startTime`')]
      : []),
  ];
}

/** What must hold for a finished job. */
function validateEnd({ spec, status }: Job, { status: old }: Job): FieldError[] {
  const { active = 0, startTime, terminating, uncountedTerminatedPods: uncounted } = status;
  const isOver = isFinished(status);
  const isOverChanged = isOver !== isFinished(old);
  const isChanged = (type: string): boolean => isTrueOf(status, type) !== isTrueOf(old, type);
  const isNothingToDo = spec.suspend === true && spec.completions === 0;
  const errors: FieldError[] = [];
  if (
    (isChanged('Failed') || status.failedIndexes !== old.failedIndexes) &&
    isTrueOf(status, 'Failed') &&
    !isTrueOf(status, 'FailureTarget')
  ) {
    errors.push(wrongConditions('cannot set Failed=True condition without the FailureTarget=true condition'));
  }
  if (
    (isChanged('Complete') || isChanged('SuccessCriteriaMet')) &&
    isTrueOf(status, 'Complete') &&
    !isTrueOf(status, 'SuccessCriteriaMet')
  ) {
    errors.push(
      wrongConditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'),
    );
  }
  if (!isOver) {
    return errors;
  }
  if (active > 0 && (isOverChanged || active !== (old.active ?? 0))) {
    errors.push(invalid('status.active', active, 'active>0 is invalid for finished job'));
  }
  if (startTime === undefined && (isOverChanged || old.startTime !== undefined) && !isNothingToDo) {
    errors.push(required('status.startTime', 'startTime is required for finished job'));
  }
  const count = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length;
  if (
    uncounted !== undefined &&
    count > 0 &&
    (isOverChanged || !jsonEqual(uncounted, old.uncountedTerminatedPods))
  ) {
    const shown = goValue(uncounted, 'batch.v1.UncountedTerminatedPods');
    errors.push(invalid('status.uncountedTerminatedPods', shown, 'must be empty for finished job'));
  }
  if (terminating !== undefined && terminating > 0 && (isOverChanged || terminating !== old.terminating)) {
    errors.push(invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job'));
  }
  return errors;
}

function validateIndexes({ spec, status }: Job, { status: old }: Job): FieldError[] {
  const { completedIndexes = '', failedIndexes } = status;
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const areCompletedChanged = completedIndexes !== (old.completedIndexes ?? '');
  const areFailedChanged = failedIndexes !== old.failedIndexes;
  const errors: FieldError[] = [];
  const read = (text: string, field: string): void => {
    const indexes = readIndexes(text, completions ?? 0);
    if ('problem' in indexes) {
      errors.push(invalid(`status.${field}`, text, `error parsing ${field}: ${indexes.problem}`));
    }
  };
  if (areCompletedChanged && completions !== undefined) {
    read(completedIndexes, 'completedIndexes');
  }
  if (
    areFailedChanged &&
    failedIndexes !== undefined &&
    completions !== undefined &&
    backoffLimitPerIndex !== undefined
  ) {
    read(failedIndexes, 'failedIndexes');
  }
  if (areCompletedChanged && completedIndexes !== '' && completionMode !== 'Indexed') {
    const problem = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(invalid('status.completedIndexes', completedIndexes, problem));
  }
  if (areFailedChanged && failedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    const problem = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(invalid('status.failedIndexes', failedIndexes, problem));
  }
  if ((areFailedChanged || areCompletedChanged) && completions !== undefined && failedIndexes !== undefined) {
    const shared = sharedIndex(completedIndexes, failedIndexes, completions);
    if (shared !== undefined) {
      const problem = `failedIndexes and completedIndexes overlap at index: ${shared}`;
      errors.push(invalid('status.failedIndexes', failedIndexes, problem));
    }
  }
  return errors;
}

function validateReady({ ready, active = 0 }: JobStatus, old: JobStatus): FieldError[] {
  const isAsked = ready !== old.ready || active !== (old.active ?? 0);
  return isAsked && ready !== undefined && ready > active
    ? [invalid('status.ready', ready, 'cannot set more ready pods than active')]
    : [];
}

function validateSuccess({ spec, status }: Job): FieldError[] {
  const is = (type: string): boolean => isTrueOf(status, type);
  return [
    ...(is('SuccessCriteriaMet') && is('Failed')
      ? [wrongConditions('cannot set SuccessCriteriaMet=True and Failed=true conditions')]
      : []),
    ...(is('SuccessCriteriaMet') && is('FailureTarget')
      ? [wrongConditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')]
      : []),
    ...(spec.successPolicy !== undefined && !is('SuccessCriteriaMet') && is('Complete')
      ? [
          wrongConditions(
            'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
          ),
        ]
      : []),
  ];
}

/** Validates that final values are not undone. */
function validateChange({ spec, status }: Job, { status: old }: Job): FieldError[] {
  const { failed = 0, succeeded = 0, startTime, completionTime } = status;
  const isResized = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  const isResuming = isTrueOf(old, 'Suspended') && hasCondition(status, 'Suspended', 'False');
  const errors = ['Failed', 'Complete', 'FailureTarget']
    .filter((type) => isTrueOf(old, type) && !isTrueOf(status, type))
    .map((type) => wrongConditions(`cannot disable the terminal ${type}=True condition`));
  if (failed < (old.failed ?? 0)) {
    errors.push(invalid('status.failed', failed, 'cannot decrease the failed counter'));
  }
  if (!isResized && succeeded < (old.succeeded ?? 0)) {
    errors.push(invalid('status.succeeded', succeeded, 'cannot decrease the succeeded counter'));
  }
  if (
    completionTime !== undefined &&
    old.completionTime !== undefined &&
    completionTime !== old.completionTime
  ) {
    errors.push(invalid('status.completionTime', completionTime, 'field is immutable'));
  }
  if (old.startTime !== undefined && startTime !== old.startTime && spec.suspend !== true && !isResuming) {
    const problem = 'field is immutable for unsuspended job once set';
    errors.push(invalid('status.startTime', startTime, problem));
  }
  if (isTrueOf(old, 'SuccessCriteriaMet') && !isTrueOf(status, 'SuccessCriteriaMet')) {
    errors.push(wrongConditions('cannot disable the SuccessCriteriaMet=True condition'));
  }
  if (
    isTrueOf(old, 'Complete') &&
    !isTrueOf(old, 'SuccessCriteriaMet') &&
    isTrueOf(status, 'SuccessCriteriaMet')
  ) {
    errors.push(
      wrongConditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'),
    );
  }
  return errors;
}
