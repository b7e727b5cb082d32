import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { ObjectMeta } from '../../meta/kube-object.ts';
import { matcherOf } from '../../selectors/label-selector.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import type { JobSpec } from './job-spec.ts';

/* Which pods are a job's own. */

const controllerUid = 'batch.kubernetes.io/controller-uid';
const jobName = 'batch.kubernetes.io/job-name';

/** The labels by which a job finds its pods, from before they had a prefix. */
const oldLabels = (name: string, uid: string): Readonly<Record<string, string>> => ({
  'controller-uid': uid,
  'job-name': name,
});
const labelsOf = (name: string, uid: string): Readonly<Record<string, string>> => ({
  ...oldLabels(name, uid),
  [controllerUid]: uid,
  [jobName]: name,
});

/** A job names its pods by its own uid, unless it is told to take others. What the client gave stays, to be refused where it is another. */
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

/** Whether a job's selector is there, is the one that was made for it, and takes the pods of its template. `old` is undefined for a new job. */
export function validateSelection(
  { manualSelector, selector, template }: JobSpec,
  { name = '', uid = '' }: ObjectMeta,
  old: JobSpec | undefined,
): FieldError[] {
  const { labels } = template.metadata;
  const errors: FieldError[] = [];
  if (manualSelector !== true && selector !== undefined) {
    const wanted = (hasPrefixes(old) ? labelsOf : oldLabels)(name, uid);
    errors.push(...Object.entries(wanted).flatMap((label) => validateHasLabel(labels, label)));
    if (!matcherOf(selector)(wanted)) {
      errors.push(invalid('spec.selector', { ...selector }, '`selector` not auto-generated'));
    }
  }
  errors.push(
    ...(selector === undefined
      ? [required('spec.selector')]
      : validateLabelSelector(selector, 'spec.selector')),
  );
  if (!matcherOf(selector)(labels)) {
    const problem = '`selector` does not match template `labels`';
    errors.push(invalid('spec.template.metadata.labels', labels ?? null, problem));
  }
  return errors;
}

/** A job from before labels had a prefix may go on without these. */
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
  const byName = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return given === value ? [] : [invalid(at, Object.fromEntries(byName), problem)];
}
