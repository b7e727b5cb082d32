import type { KubeObject } from '../../meta/kube-object.ts';
import { formatSelector } from '../../selectors/label-selector.ts';
import { podNameWarnings } from '../pod-name-warnings.ts';
import { applyPodSpecDefaults } from '../pod-spec-defaults.ts';
import { shortDuration } from '../table-columns.ts';
import { describedResource } from './described-resource.ts';
import type { JobSpec, JobStatus } from './job.ts';
import { applyFailurePolicyDefaults } from './job-failure-policy.ts';
import { selectOwnPods, validateGeneratedSelector, validateSelection } from './job-selector.ts';
import { jobSpecWarnings, validateHostName, validateJobChange, validateJobSpec } from './job-spec.ts';
import { isTrueOf, validateJobStatus } from './job-status.ts';
import { age, containerColumns, text } from './shown.ts';

interface Job extends KubeObject {
  spec: JobSpec;
  status: JobStatus;
}

const greatestInt32 = 2 ** 31 - 1;

/** batch/v1 */
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
      // As on the real server, job and template share one map, so that labels added to the template also
      // appear on the job.
      metadata.labels ??= labels;
    }
    spec.manualSelector ??= false;
    spec.completionMode ??= 'NonIndexed';
    spec.suspend ??= false;
    if (spec.podFailurePolicy !== undefined) {
      applyFailurePolicyDefaults(spec.podFailurePolicy);
    }
    spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
    applyPodSpecDefaults(spec.template.spec);
  },
  prepareForCreate({ metadata, spec }: Job, { uid }) {
    if (spec.manualSelector !== true) {
      selectOwnPods(spec, metadata, uid);
    }
  },
  refusals({ metadata, spec }: Job, old) {
    const before = old as Job | undefined;
    const ofSpec = [...validateJobSpec(spec, 'spec'), ...validateSelection(spec)];
    return [
      ...validateGeneratedSelector(spec, metadata, before?.spec),
      ...ofSpec,
      ...validateHostName(spec, metadata.name),
      // The real server makes this check twice.
      ...(before === undefined ? [] : [...ofSpec, ...validateJobChange(spec, before)]),
    ];
  },
  statusRefusals: (job: Job, old) => validateJobStatus(job, old as Job),
  warnings: (job: Job, old) => [
    ...podNameWarnings(job, old),
    ...jobSpecWarnings(job.spec, (old as Job | undefined)?.spec, 'spec'),
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
  const has = (type: string): boolean => isTrueOf(status, type);
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
