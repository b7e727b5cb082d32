import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts';
import { type JsonObject, jsonEqual, withoutFields } from '../../meta/json.ts';
import type { KubeObject, LabelSelector, ObjectMeta } from '../../meta/kube-object.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { formatSelector, matcherOf } from '../../selectors/label-selector.ts';
import { goValue } from '../go-diff.ts';
import { podNameWarnings } from '../pod-name-warnings.ts';
import { applyPodSpecDefaults, validatePodSpec } from '../pod-spec.ts';
import { shortDuration, since } from '../table-columns.ts';
import { describedResource } from './described-resource.ts';
import { notNegative } from '../numbers.ts';
import { age, containerColumns, text, typed } from './shown.ts';
import { type PodTemplate, templateWarnings } from './workloads.ts';

/* batch/v1 */

interface JobSpec extends JsonObject {
  parallelism?: number;
  completions?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template: PodTemplate;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: { rules?: { onPodConditions?: { status?: string }[] }[] };
}

interface Job extends KubeObject {
  spec: JobSpec;
  status: {
    succeeded?: number;
    startTime?: string;
    completionTime?: string;
    conditions?: { type: string; status: string }[];
  } & JsonObject;
}

const greatestInt32 = 2 ** 31 - 1;
const completionModes = ['NonIndexed', 'Indexed'];

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
  refusals({ spec }: Job, old) {
    const errors = validateJobSpec(spec, 'spec');
    const { selector, template } = spec;
    if (selector === undefined) {
      errors.push(required('spec.selector'));
    } else if (!matcherOf(selector)(template.metadata.labels)) {
      errors.push(
        invalid(
          'spec.template.metadata.labels',
          template.metadata.labels ?? null,
          '`selector` does not match template `labels`',
        ),
      );
    }
    return old === undefined ? errors : [...errors, ...unchanging(spec, (old as Job).spec)];
  },
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

/** A job names its pods by its own uid, unless it is told to take others. */
function selectOwnPods(spec: JobSpec, { name = '' }: ObjectMeta, uid: string): void {
  const { metadata } = spec.template;
  metadata.labels = Object.assign(metadata.labels ?? {}, {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  });
  spec.selector ??= {};
  spec.selector.matchLabels = { ...spec.selector.matchLabels, 'batch.kubernetes.io/controller-uid': uid };
}

function validateJobSpec(spec: JobSpec, path: string): FieldError[] {
  const { template, completionMode } = spec;
  const errors = notNegative(spec, path, [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ]);
  if (completionMode !== undefined && !completionModes.includes(completionMode)) {
    errors.push(notSupported(`${path}.completionMode`, completionMode, completionModes));
  }
  if (completionMode === 'Indexed' && spec.completions === undefined) {
    errors.push(required(`${path}.completions`, 'when completion mode is Indexed'));
  }
  errors.push(...validatePodSpec(template.spec, `${path}.template.spec`));
  const { restartPolicy } = template.spec;
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    errors.push(
      restartPolicy === 'Always'
        ? required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')
        : notSupported(`${path}.template.spec.restartPolicy`, restartPolicy, ['OnFailure', 'Never']),
    );
  }
  return errors;
}

/** An indexed job may be resized as a whole, a suspended one that never ran may be placed elsewhere. */
function unchanging(spec: JobSpec, old: JobSpec): FieldError[] {
  const isResized =
    spec.completionMode === 'Indexed' &&
    spec.completions !== old.completions &&
    spec.completions === spec.parallelism;
  const fields = [
    ...(isResized ? [] : ['completions']),
    'selector',
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
  ];
  return [
    ...fields.flatMap((field) => validateImmutable(spec[field], old[field], `spec.${field}`)),
    ...(old.suspend === true
      ? unmoved(spec.template, old.template)
      : validateImmutable(shownTemplate(spec.template), shownTemplate(old.template), 'spec.template')),
  ];
}

function shownTemplate(template: PodTemplate): JsonObject {
  return goValue(template, 'core.v1.PodTemplateSpec');
}

/** Of the pods of a suspended job, no more may change than where they go, and what they ask for. */
function unmoved(template: PodTemplate, old: PodTemplate): FieldError[] {
  const fixed = ({ spec }: PodTemplate): JsonObject => ({
    ...withoutFields(spec, ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates']),
    affinity: withoutFields(spec.affinity ?? {}, ['nodeAffinity']),
    containers: (spec.containers ?? []).map((container) => withoutFields(container, ['resources'])),
  });
  return jsonEqual(fixed(template), fixed(old))
    ? []
    : [invalid('spec.template.spec', goValue(template.spec, 'core.v1.PodSpec'), 'field is immutable')];
}

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
  refusals: ({ spec }: CronJob) => [
    ...validateSchedule(spec.schedule),
    ...validateTimeZone(spec.timeZone),
    ...notNegative(spec, 'spec', [
      'startingDeadlineSeconds',
      'successfulJobsHistoryLimit',
      'failedJobsHistoryLimit',
    ]),
    ...validateJobSpec(spec.jobTemplate.spec, 'spec.jobTemplate.spec'),
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
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return [];
  } catch {
    return [invalid('spec.timeZone', timeZone, `unknown time zone ${timeZone}`)];
  }
}
