import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts';
import { type JsonObject, jsonEqual, withoutFields } from '../../meta/json.ts';
import type { LabelSelector } from '../../meta/kube-object.ts';
import { dnsLabel } from '../../meta/names.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { goValue } from '../go-diff.ts';
import { notNegative } from '../numbers.ts';
import type { Container } from '../pod-spec.ts';
import { type PodTemplate, validatePodTemplate } from '../pod-template.ts';

/* What a job is to do, by itself or as a CronJob makes it: what may stand there, and what may change. */

export interface JobSpec extends JsonObject {
  parallelism?: number;
  completions?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template: PodTemplate;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: { rules?: { onPodConditions?: { status?: string }[] }[] };
}

const completionModes = ['NonIndexed', 'Indexed'];
const replacementPolicies = ['Failed', 'TerminatingOrFailed'];

/** @param path of the spec */
export function validateJobSpec(spec: JobSpec, path: string): FieldError[] {
  const { template, completionMode, podReplacementPolicy } = spec;
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
  if (completionMode !== undefined && !completionModes.includes(completionMode)) {
    errors.push(notSupported(`${path}.completionMode`, completionMode, completionModes));
  }
  if (completionMode === 'Indexed' && spec.completions === undefined) {
    errors.push(required(`${path}.completions`, 'when completion mode is Indexed'));
  }
  if (completionMode === undefined || completionMode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      if (spec[field] !== undefined) {
        errors.push(invalid(`${path}.${field}`, spec[field], 'requires indexed completion mode'));
      }
    }
  }
  const policies = spec.podFailurePolicy === undefined ? replacementPolicies : ['Failed'];
  if (podReplacementPolicy !== undefined && !policies.includes(podReplacementPolicy)) {
    errors.push(notSupported(`${path}.podReplacementPolicy`, podReplacementPolicy, policies));
  }
  errors.push(...validatePodTemplate(template, `${path}.template`));
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

/** Pods of an indexed job have host names of its name and their number. */
export function validateHostName({ completionMode, completions = 0 }: JobSpec, name = ''): FieldError[] {
  if (completionMode !== 'Indexed' || completions <= 0) {
    return [];
  }
  const last = `${name}-${completions - 1}`;
  return dnsLabel(last, false).length === 0
    ? []
    : [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${last}`)];
}

/** As much of a job's status as its spec may depend on. */
export interface JobStatus extends JsonObject {
  active?: number;
  succeeded?: number;
  startTime?: string;
  completionTime?: string;
  conditions?: { type: string; status: string }[];
}

/** An indexed job may be resized as a whole, a suspended one none of whose pods is there may be placed elsewhere. */
export function validateJobChange(
  spec: JobSpec,
  { spec: old, status }: { readonly spec: JobSpec; readonly status: JobStatus },
): FieldError[] {
  const fields = [
    'selector',
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
  ];
  return [
    ...validateCompletions(spec, old),
    ...fields.flatMap((field) => validateImmutable(spec[field], old[field], `spec.${field}`)),
    ...(isAtRest(old, status)
      ? unmoved(spec.template, old.template)
      : validateImmutable(shownTemplate(spec.template), shownTemplate(old.template), 'spec.template')),
  ];
}

/** Whether a job is suspended, and never ran or has seen the last of its pods go. */
function isAtRest({ suspend }: JobSpec, { active = 0, startTime, conditions = [] }: JobStatus): boolean {
  const isSuspended = conditions.some(({ type, status }) => type === 'Suspended' && status === 'True');
  return suspend === true && active === 0 && (startTime === undefined || isSuspended);
}

function validateCompletions(
  { completionMode, completions, parallelism }: JobSpec,
  old: JobSpec,
): FieldError[] {
  if (completionMode !== 'Indexed') {
    return validateImmutable(completions, old.completions, 'spec.completions');
  }
  return completions === undefined || completions === old.completions || completions === parallelism
    ? []
    : [invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism')];
}

function shownTemplate(template: PodTemplate): JsonObject {
  return goValue(template, 'core.v1.PodTemplateSpec');
}

/** Of such a job's pods, no more may change than where they go, and what they ask for. */
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
