import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject, ObjectMeta } from '../../meta/kube-object.ts';
import { formatSelector } from '../../selectors/label-selector.ts';
import { notNegative } from '../numbers.ts';
import { podNameWarnings } from '../pod-name-warnings.ts';
import { applyPodSpecDefaults } from '../pod-spec-defaults.ts';
import { since } from '../table-columns.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { describedResource } from './described-resource.ts';
import { applyFailurePolicyDefaults } from './job-failure-policy.ts';
import type { JobSpec } from './job.ts';
import { jobSpecWarnings, validateJobSpec } from './job-spec.ts';
import { age, containerColumns, text, typed } from './shown.ts';

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

const templatePath = 'spec.jobTemplate.spec';

/** batch/v1 */
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
    const { podFailurePolicy, template } = spec.jobTemplate.spec;
    if (podFailurePolicy !== undefined) {
      applyFailurePolicyDefaults(podFailurePolicy);
    }
    applyPodSpecDefaults(template.spec);
  },
  refusals({ metadata, spec }: CronJob, old) {
    const before = (old as CronJob | undefined)?.spec;
    return [
      ...(spec.schedule === ''
        ? [required('spec.schedule')]
        : validateSchedule(spec, before?.schedule.includes('TZ') === true)),
      ...notNegative(spec, 'spec', ['startingDeadlineSeconds']),
      ...(before !== undefined && before.timeZone === spec.timeZone ? [] : validateTimeZone(spec.timeZone)),
      ...validateConcurrency(spec),
      ...validateJobSpec(spec.jobTemplate.spec, templatePath),
      ...validateNoSelector(spec.jobTemplate.spec),
      ...notNegative(spec, 'spec', ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']),
      ...(before === undefined ? validateCronJobName(metadata.name) : []),
    ];
  },
  warnings: (job: CronJob, old) => [
    ...podNameWarnings(job, old),
    ...jobSpecWarnings(
      job.spec.jobTemplate.spec,
      (old as CronJob | undefined)?.spec.jobTemplate.spec,
      templatePath,
    ),
    ...(old !== undefined && job.spec.schedule.includes('TZ')
      ? [
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        ]
      : []),
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

/** Jobs get the name of their CronJob and eleven more characters, and must still be valid labels. */
function validateCronJobName(name = ''): FieldError[] {
  return name.length > 52 ? [invalid('metadata.name', name, 'must be no more than 52 characters')] : [];
}

/** A selector must not be set, because each Job gets its own. */
function validateNoSelector({ selector, manualSelector }: JobSpec): FieldError[] {
  return [
    ...(selector === undefined
      ? []
      : [invalid(`${templatePath}.selector`, { ...selector }, '`selector` will be auto-generated')]),
    ...(manualSelector === true
      ? [notSupported(`${templatePath}.manualSelector`, manualSelector, ['nil', 'false'])]
      : []),
  ];
}

const concurrencyPolicies = ['Allow', 'Forbid', 'Replace'];

function validateConcurrency({ concurrencyPolicy = '' }: CronJob['spec']): FieldError[] {
  return concurrencyPolicies.includes(concurrencyPolicy)
    ? []
    : [notSupported('spec.concurrencyPolicy', concurrencyPolicy, concurrencyPolicies)];
}

/** The time zone has its own field. A zone in the schedule may stay if it was there before. */
function validateSchedule({ schedule, timeZone }: CronJob['spec'], mayHaveZone: boolean): FieldError[] {
  const path = 'spec.schedule';
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [invalid(path, schedule, problem)];
  if (!schedule.includes('TZ')) {
    return errors;
  }
  if (!mayHaveZone) {
    const advice = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    return [...errors, invalid(path, schedule, advice)];
  }
  const conflict = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
  return timeZone === undefined ? errors : [...errors, invalid(path, schedule, conflict)];
}

const zonePart = /^(?!-)(?!\.{1,2}$)[A-Za-z._0-9+-]{1,14}$/;

function validateTimeZone(timeZone: string | undefined): FieldError[] {
  const path = 'spec.timeZone';
  if (timeZone === undefined) {
    return [];
  }
  if (timeZone === '') {
    return [invalid(path, timeZone, 'timeZone must be nil or non-empty string')];
  }
  const unknown = invalid(path, timeZone, `unknown time zone ${timeZone}`);
  if (!timeZone.split('/').every((part) => zonePart.test(part))) {
    return [unknown];
  }
  if (timeZone.toLowerCase() === 'local') {
    const problem = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalid(path, timeZone, problem), ...(timeZone === 'Local' ? [] : [unknown])];
  }
  return isZone(timeZone) ? [] : [unknown];
}

/**
 * Whether the zone exists. The real server looks for a file, whose name is capitalized, but Intl ignores case
 * and accepts offsets, too.
 */
function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return timeZone.split('/').every((part) => /^([A-Z]|[+-]?\d)/.test(part)) && /^[A-Z]/.test(timeZone);
  } catch {
    return false;
  }
}
