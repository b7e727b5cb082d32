import { type FieldError, invalid, notSupported } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject, ObjectMeta } from '../../meta/kube-object.ts';
import { formatSelector } from '../../selectors/label-selector.ts';
import { podNameWarnings } from '../pod-name-warnings.ts';
import { applyPodSpecDefaults } from '../pod-spec.ts';
import { shortDuration, since } from '../table-columns.ts';
import { describedResource } from './described-resource.ts';
import { notNegative } from '../numbers.ts';
import { selectOwnPods, validateSelection } from './job-selector.ts';
import {
  type JobSpec,
  type JobStatus,
  validateHostName,
  validateJobChange,
  validateJobSpec,
} from './job-spec.ts';
import { age, containerColumns, text, typed } from './shown.ts';
import { templateWarnings } from './workload.ts';

/* batch/v1 */

interface Job extends KubeObject {
  spec: JobSpec;
  status: JobStatus;
}

const greatestInt32 = 2 ** 31 - 1;

export const jobs = describedResource({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  namespaced: true,
  struct: 'batch.v1.Job',
  storageVersionHash: 'mudhfqk/qZY=',
  hasGeneration: true,
  hasStatus: true,
  orphansByDefault:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  selectableFields: { 'status.successful': ({ status }) => String((status as Job['status']).succeeded ?? 0) },
  hasFieldLabelConversion: true,
  applyDefaults({ metadata, spec }: Job) {
    if (spec.completions === undefined && spec.parallelism === undefined) {
      spec.completions = 1;
    }
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : greatestInt32;
    const { labels } = spec.template.metadata;
    if (labels !== undefined) {
      // One map for both, as the real server has it: what the template gets later, the job gets too.
      metadata.labels ??= labels;
    }
    spec.manualSelector ??= false;
    spec.completionMode ??= 'NonIndexed';
    spec.suspend ??= false;
    for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
      for (const condition of onPodConditions) {
        condition.status ??= 'True';
      }
    }
    spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
    applyPodSpecDefaults(spec.template.spec);
  },
  prepareForCreate({ metadata, spec }: Job, { uid }) {
    if (spec.manualSelector !== true) {
      selectOwnPods(spec, metadata, uid);
    }
  },
  judgedHere: ['core.v1.PodTemplateSpec', 'batch.v1.JobSpec'],
  refusals: ({ metadata, spec }: Job, old) => [
    ...validateSelection(spec, metadata, (old as Job | undefined)?.spec),
    ...validateJobSpec(spec, 'spec'),
    ...validateHostName(spec, metadata.name),
    ...(old === undefined ? [] : validateJobChange(spec, old as Job)),
  ],
  warnings: (job: Job, old) => [
    ...podNameWarnings(job, old),
    ...templateWarnings(job.spec.template, (old as Job | undefined)?.spec.template, 'spec.template'),
  ],
  shown: [
    text<Job>('Status', 'What has become of it', jobState),
    text<Job>('Completions', 'Pods that have succeeded, of those that must', completionsOf),
    {
      column: text<Job>('Duration', 'Time required to complete the job.', () => '').column,
      cell: (object, { now }) => {
        const { startTime, completionTime } = (object as Job).status;
        if (startTime === undefined) {
          return '';
        }
        return shortDuration(
          (completionTime === undefined ? now : Date.parse(completionTime)) - Date.parse(startTime),
        );
      },
    },
    age,
    ...containerColumns((object) => (object as Job).spec.template.spec),
    text<Job>(
      'Selector',
      'Which pods are its own',
      ({ spec }) => formatSelector(spec.selector) || '<none>',
      1,
    ),
  ],
});

function jobState({ metadata, spec, status }: Job): string {
  const has = (type: string): boolean =>
    status.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
  if (has('Complete')) {
    return 'Complete';
  }
  if (has('Failed')) {
    return 'Failed';
  }
  if (metadata.deletionTimestamp !== undefined) {
    return 'Terminating';
  }
  if (has('Suspended')) {
    return 'Suspended';
  }
  if (has('FailureTarget')) {
    return 'FailureTarget';
  }
  return has('SuccessCriteriaMet') && spec.completionMode !== undefined ? 'SuccessCriteriaMet' : 'Running';
}

function completionsOf({ spec, status: { succeeded = 0 } }: Job): string {
  const { completions, parallelism = 0 } = spec;
  if (completions !== undefined) {
    return `${succeeded}/${completions}`;
  }
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

interface CronJob extends KubeObject {
  spec: {
    schedule: string;
    timeZone?: string;
    concurrencyPolicy?: string;
    suspend?: boolean;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate: { metadata: ObjectMeta; spec: JobSpec };
  } & JsonObject;
  status: { active?: JsonObject[]; lastScheduleTime?: string };
}

export const cronJobs = describedResource({
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  namespaced: true,
  struct: 'batch.v1.CronJob',
  storageVersionHash: 'sd5LIXh4Fjs=',
  hasGeneration: true,
  hasStatus: true,
  applyDefaults({ spec }: CronJob) {
    spec.concurrencyPolicy ??= 'Allow';
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    applyPodSpecDefaults(spec.jobTemplate.spec.template.spec);
  },
  judgedHere: ['batch.v1.JobTemplateSpec'],
  refusals: ({ metadata, spec }: CronJob, old) => [
    ...(old === undefined ? validateCronJobName(metadata.name) : []),
    ...validateSchedule(spec.schedule),
    ...validateTimeZone(spec.timeZone),
    ...notNegative(spec, 'spec', [
      'startingDeadlineSeconds',
      'successfulJobsHistoryLimit',
      'failedJobsHistoryLimit',
    ]),
    ...validateJobSpec(spec.jobTemplate.spec, 'spec.jobTemplate.spec'),
    ...validateOwnSelector(spec.jobTemplate.spec, 'spec.jobTemplate.spec'),
  ],
  warnings: (job: CronJob, old) => [
    ...podNameWarnings(job, old),
    ...templateWarnings(
      job.spec.jobTemplate.spec.template,
      (old as CronJob | undefined)?.spec.jobTemplate.spec.template,
      'spec.jobTemplate.spec.template',
    ),
  ],
  shown: [
    text<CronJob>('Schedule', 'When it makes jobs', ({ spec }) => spec.schedule),
    text<CronJob>('Timezone', 'Whose time that is', ({ spec }) => spec.timeZone ?? '<none>'),
    typed<CronJob>('Suspend', 'boolean', 'Whether it makes none for now', ({ spec }) =>
      spec.suspend === true ? 'True' : 'False',
    ),
    typed<CronJob>(
      'Active',
      'integer',
      'How many of its jobs run',
      ({ status }) => status.active?.length ?? 0,
    ),
    {
      column: text<CronJob>('Last Schedule', 'When it made the last job', () => '').column,
      cell: (object, { now }) => {
        const { lastScheduleTime } = (object as CronJob).status;
        return lastScheduleTime === undefined ? '<none>' : since(lastScheduleTime, now);
      },
    },
    age,
    ...containerColumns((object) => (object as CronJob).spec.jobTemplate.spec.template.spec),
    text<CronJob>(
      'Selector',
      'Which pods are of its jobs',
      ({ spec }) => formatSelector(spec.jobTemplate.spec.selector) || '<none>',
      1,
    ),
  ],
});

/** Its jobs are named after it, with eleven characters more, and so must be labels still. */
function validateCronJobName(name = ''): FieldError[] {
  return name.length > 52 ? [invalid('metadata.name', name, 'must be no more than 52 characters')] : [];
}

/** Jobs that are made find a selector of their own. */
function validateOwnSelector({ selector, manualSelector }: JobSpec, path: string): FieldError[] {
  return [
    ...(selector === undefined
      ? []
      : [invalid(`${path}.selector`, { ...selector }, '`selector` will be auto-generated')]),
    ...(manualSelector === true
      ? [notSupported(`${path}.manualSelector`, manualSelector, ['nil', 'false'])]
      : []),
  ];
}

const macros: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

function validateSchedule(schedule: string): FieldError[] {
  if (schedule === '' || macros.has(schedule) || /^@every \S+$/.test(schedule)) {
    return [];
  }
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (schedule.startsWith('@')) {
    return [invalid('spec.schedule', schedule, `unrecognized descriptor: ${schedule}`)];
  }
  return fields.length === 5
    ? []
    : [
        invalid(
          'spec.schedule',
          schedule,
          `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`,
        ),
      ];
}

function validateTimeZone(timeZone: string | undefined): FieldError[] {
  if (timeZone === undefined) {
    return [];
  }
  if (timeZone === '') {
    return [invalid('spec.timeZone', timeZone, 'timeZone must be nil or non-empty string')];
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return [];
  } catch {
    return [invalid('spec.timeZone', timeZone, `unknown time zone ${timeZone}`)];
  }
}
