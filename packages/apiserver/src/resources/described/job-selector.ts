import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { ObjectMeta } from '../../meta/kube-object.ts';
import { matcherOf } from '../../selectors/label-selector.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import type { JobSpec } from './job.ts';
import { isAskable, shownLabels, shownSelector } from './workload.ts';

/* Generates and validates the selector for a job's own pods. */

const controllerUid = 'batch.kubernetes.io/controller-uid';
const jobName = 'batch.kubernetes.io/job-name';

/** The labels by which a job selects its pods, without the prefix that they got later. */
const oldLabels = (name: string, uid: string): Readonly<Record<string, string>> => ({
  'controller-uid': uid,
  'job-name': name,
});
const labelsOf = (name: string, uid: string): Readonly<Record<string, string>> => ({
  ...oldLabels(name, uid),
  [controllerUid]: uid,
  [jobName]: name,
});

/**
 * Sets the labels and the selector to the job's uid, for a job without manualSelector. Values that the client
 * set are kept, and validation refuses them if they differ.
 */
export function selectOwnPods(spec: JobSpec, { name = '' }: ObjectMeta, uid: string): void {
  const { metadata } = spec.template;
  const labels = (metadata.labels ??= {});
  for (const [label, value] of Object.entries(labelsOf(name, uid))) {
    labels[label] ??= value;
  }
  spec.selector ??= {};
  spec.selector.matchLabels ??= {};
  spec.selector.matchLabels[controllerUid] ??= uid;
}

/**
 * Checks that a job without manualSelector has the generated selector.
 *
 * @param old undefined for a new job
 */
export function validateGeneratedSelector(
  { manualSelector, selector, template }: JobSpec,
  { name = '', uid = '' }: ObjectMeta,
  old: JobSpec | undefined,
): FieldError[] {
  if (manualSelector === true || selector === undefined) {
    return [];
  }
  const wanted = (hasPrefixes(old) ? labelsOf : oldLabels)(name, uid);
  return [
    ...Object.entries(wanted).flatMap((label) => validateHasLabel(template.metadata.labels, label)),
    ...(isAskable(selector) && !matcherOf(selector)(wanted)
      ? [invalid('spec.selector', shownSelector(selector), '`selector` not auto-generated')]
      : []),
  ];
}

/** Checks that a job has a selector, and that it matches the pods of its template. */
export function validateSelection({ selector, template }: JobSpec): FieldError[] {
  const { labels } = template.metadata;
  const problem = '`selector` does not match template `labels`';
  return [
    ...(selector === undefined
      ? [required('spec.selector')]
      : validateLabelSelector(selector, 'spec.selector')),
    ...(!isAskable(selector ?? null) || matcherOf(selector)(labels)
      ? []
      : [invalid('spec.template.metadata.labels', shownLabels(labels), problem)]),
  ];
}

/** Whether the labels must have prefixes. A job that is older than the prefixes may stay without them. */
function hasPrefixes(old: JobSpec | undefined): boolean {
  const { labels } = old?.template.metadata ?? {};
  return old === undefined || (labels?.[controllerUid] !== undefined && labels[jobName] !== undefined);
}

function validateHasLabel(
  labels: ObjectMeta['labels'],
  [label, value]: readonly [string, string],
): FieldError[] {
  const at = `spec.template.metadata.labels[${label}]`;
  const problem = `must be '${value}'`;
  const given = labels?.[label];
  if (given === undefined) {
    return [required(at, problem)];
  }
  return given === value ? [] : [invalid(at, shownLabels(labels), problem)];
}
