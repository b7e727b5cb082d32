import { append } from '../../meta/append.ts';
import { type FieldError, invalid, notSupported, required, tooLong } from '../../meta/field-error.ts';
import { type JsonObject, jsonEqual, withoutFields } from '../../meta/json.ts';
import { dnsLabel, validateDomainPrefixedPath } from '../../meta/names.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { goValue } from '../go-diff.ts';
import { notNegative } from '../numbers.ts';
import type { Container } from '../pod-spec.ts';
import { type PodTemplate, validatePodTemplate } from '../pod-template.ts';
import type { JobSpec, JobStatus } from './job.ts';
import { validatePodFailurePolicy } from './job-failure-policy.ts';
import { isTrueOf } from './job-status.ts';
import { validateSuccessPolicy } from './job-success-policy.ts';
import { templateWarnings } from './workload.ts';

/*
 * Validates the spec of a job, whether it is its own or in a CronJob's template, and the changes of a spec.
 */

const completionModes = ['NonIndexed', 'Indexed'];
const replacementPolicies = ['Failed', 'TerminatingOrFailed'];

const mostIndexed = 100_000;
/**
 * With more completions than this, backoffLimitPerIndex limits parallelism and maxFailedIndexes to
 * `mostOfMany`.
 */
const manyCompletions = 100_000;
const mostOfMany = 10_000;

/** @param path of the spec */
export function validateJobSpec(spec: JobSpec, path: string): FieldError[] {
  const { completionMode, podReplacementPolicy, podFailurePolicy, successPolicy } = spec;
  const errors = notNegative(spec, path, [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (spec.managedBy !== undefined) {
    append(errors, validateManager(spec.managedBy, `${path}.managedBy`));
  }
  if (completionMode !== undefined && !completionModes.includes(completionMode)) {
    errors.push(notSupported(`${path}.completionMode`, completionMode, completionModes));
  }
  if (completionMode === 'Indexed') {
    append(errors, validateIndexed(spec, path));
  }
  if (completionMode === undefined || completionMode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      if (spec[field] !== undefined) {
        errors.push(invalid(`${path}.${field}`, spec[field], 'requires indexed completion mode'));
      }
    }
  }
  if (podFailurePolicy !== undefined) {
    append(errors, validatePodFailurePolicy(spec, podFailurePolicy, `${path}.podFailurePolicy`));
  }
  if (successPolicy !== undefined) {
    append(errors, validateSuccessPolicy(spec, successPolicy, `${path}.successPolicy`));
  }
  const policies = podFailurePolicy === undefined ? replacementPolicies : ['Failed'];
  if (podReplacementPolicy !== undefined && !policies.includes(podReplacementPolicy)) {
    errors.push(notSupported(`${path}.podReplacementPolicy`, podReplacementPolicy, policies));
  }
  return [
    ...errors,
    ...validatePodTemplate(spec.template, `${path}.template`),
    ...validateRestarts(spec, `${path}.template.spec.restartPolicy`),
  ];
}

const longestManager = 63;

function validateManager(manager: string, path: string): FieldError[] {
  return [
    ...validateDomainPrefixedPath(manager, path),
    ...(Buffer.byteLength(manager) > longestManager ? [tooLong(path, longestManager)] : []),
  ];
}

/** The limits of an indexed job. */
function validateIndexed(spec: JobSpec, path: string): FieldError[] {
  const { completions, parallelism, maxFailedIndexes } = spec;
  const most = (field: 'parallelism' | 'maxFailedIndexes', bound: number, when = ''): FieldError[] =>
    (spec[field] ?? 0) > bound
      ? [invalid(`${path}.${field}`, spec[field], `must be less than or equal to ${bound}${when}`)]
      : [];
  const ofMany = ` when completions are above ${manyCompletions} and used with backoff limit per index`;
  const isMany = (completions ?? 0) > manyCompletions && spec.backoffLimitPerIndex !== undefined;
  return [
    ...(completions === undefined
      ? [required(`${path}.completions`, 'when completion mode is Indexed')]
      : []),
    ...(parallelism === undefined
      ? []
      : most('parallelism', mostIndexed, ' when completion mode is Indexed')),
    ...(completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions
      ? [invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions')]
      : []),
    ...most('maxFailedIndexes', mostIndexed),
    ...(isMany
      ? [
          ...(maxFailedIndexes === undefined
            ? [
                required(
                  `${path}.maxFailedIndexes`,
                  `must be specified when completions is above ${manyCompletions}`,
                ),
              ]
            : []),
          ...most('parallelism', mostOfMany, ofMany),
          ...most('maxFailedIndexes', mostOfMany, ofMany),
        ]
      : []),
  ];
}

const restartPolicies = ['OnFailure', 'Never'];

function validateRestarts({ template, podFailurePolicy }: JobSpec, path: string): FieldError[] {
  const { restartPolicy = '' } = template.spec;
  if (restartPolicy === 'Always' || restartPolicy === '') {
    return [required(path, 'valid values: "OnFailure", "Never"')];
  }
  if (!restartPolicies.includes(restartPolicy)) {
    return [notSupported(path, restartPolicy, restartPolicies)];
  }
  return podFailurePolicy !== undefined && restartPolicy !== 'Never'
    ? [invalid(path, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}

/**
 * The warnings about a spec, including its template.
 *
 * @param path of the spec
 */
export function jobSpecWarnings(spec: JobSpec, old: JobSpec | undefined, path: string): string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec;
  const isChanged = old === undefined || !jsonEqual(spec, old);
  return [
    ...(isChanged && completionMode === 'Indexed' && completions > manyCompletions && parallelism > mostOfMany
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...templateWarnings(template, old?.template, `${path}.template`),
  ];
}

/** The host name of an indexed job's pod consists of the job's name and the pod's index. */
export function validateHostName({ completionMode, completions = 0 }: JobSpec, name = ''): FieldError[] {
  if (completionMode !== 'Indexed' || completions <= 0) {
    return [];
  }
  const last = `${name}-${completions - 1}`;
  return dnsLabel(last, false).length === 0
    ? []
    : [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${last}`)];
}

/**
 * completions of an indexed job may change together with parallelism. The template of a suspended job without
 * pods may change where it is scheduled.
 */
export function validateJobChange(
  spec: JobSpec,
  { spec: old, status }: { readonly spec: JobSpec; readonly status: JobStatus },
): FieldError[] {
  const fixed = (field: string): FieldError[] =>
    validateImmutable(spec[field] ?? null, old[field] ?? null, `spec.${field}`);
  const fixedPolicy = (field: 'podFailurePolicy' | 'successPolicy', struct: string): FieldError[] =>
    jsonEqual(spec[field], old[field])
      ? []
      : [invalid(`spec.${field}`, shownPolicy(spec[field], struct), 'field is immutable')];
  return [
    ...validateCompletions(spec, old),
    ...fixed('selector'),
    ...(isAtRest(old, status)
      ? unmoved(spec.template, old.template)
      : validateImmutable(shownTemplate(spec.template), shownTemplate(old.template), 'spec.template')),
    ...fixed('completionMode'),
    ...fixedPolicy('podFailurePolicy', 'batch.v1.PodFailurePolicy'),
    ...fixed('backoffLimitPerIndex'),
    ...fixed('managedBy'),
    ...fixedPolicy('successPolicy', 'batch.v1.SuccessPolicy'),
  ];
}

/** Whether a job is suspended and has no pods: it has never run, or its last pod is gone. */
function isAtRest({ suspend }: JobSpec, status: JobStatus): boolean {
  const { active = 0, startTime } = status;
  return suspend === true && active === 0 && (startTime === undefined || isTrueOf(status, 'Suspended'));
}

function validateCompletions(
  { completionMode, completions, parallelism }: JobSpec,
  old: JobSpec,
): FieldError[] {
  if (completionMode !== 'Indexed') {
    return validateImmutable(completions ?? null, old.completions ?? null, 'spec.completions');
  }
  return completions === undefined || completions === old.completions || completions === parallelism
    ? []
    : [invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism')];
}

function shownPolicy(policy: JsonObject | undefined, struct: string): JsonObject | null {
  return policy === undefined ? null : goValue(policy, struct);
}

function shownTemplate(template: PodTemplate): JsonObject {
  return goValue(template, 'core.v1.PodTemplateSpec');
}

/** Only the scheduling and the resources of such a job's pods may change. */
function unmoved(template: PodTemplate, old: PodTemplate): FieldError[] {
  const bare = (containers: readonly Container[] | null | undefined): JsonObject[] =>
    (containers ?? []).map((container) => withoutFields(container, ['resources']));
  const fixed = ({ spec }: PodTemplate): JsonObject => ({
    ...withoutFields(spec, ['affinity', 'nodeSelector', 'tolerations', 'schedulingGates']),
    affinity: withoutFields(spec.affinity ?? {}, ['nodeAffinity']),
    containers: bare(spec.containers),
    initContainers: bare(spec.initContainers),
  });
  return jsonEqual(fixed(template), fixed(old))
    ? []
    : [invalid('spec.template.spec', goValue(template.spec, 'core.v1.PodSpec'), 'field is immutable')];
}
