import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import { inKeyOrder } from '../../meta/go-print.ts';
import type { Json, JsonObject } from '../../meta/json.ts';
import type { KubeObject, LabelSelector } from '../../meta/kube-object.ts';
import { formatSelector, matcherOf } from '../../selectors/label-selector.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import { notAbove, notNegative } from '../numbers.ts';
import { podNameWarnings } from '../pod-name-warnings.ts';
import type { PodSpec } from '../pod-spec.ts';
import { type PodTemplate, validatePodTemplate } from '../pod-template.ts';
import { podWarnings } from '../pod-warnings.ts';
import type { ScalePaths } from '../resource-definition.ts';
import { age, containerColumns, text, typed } from './shown.ts';

/* Workloads whose pods run forever: a template, a selector for its pods, and counts of them. */

export interface Workload extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector | null;
    template: PodTemplate;
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  } & JsonObject;
  status: { [field: string]: number | undefined };
}

export const workloadScale: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

export const workloadColumns = [
  ...containerColumns((object) => (object as Workload).spec.template.spec),
  text<Workload>(
    'Selector',
    'Which pods are its own',
    ({ spec }) => formatSelector(spec.selector) || '<none>',
    1,
  ),
];

export const replicaColumns = [
  typed<Workload>('Desired', 'integer', 'How many pods are wanted', ({ spec }) => spec.replicas ?? 0),
  typed<Workload>('Current', 'integer', 'How many there are', ({ status }) => status['replicas'] ?? 0),
  typed<Workload>('Ready', 'integer', 'How many are ready', ({ status }) => status['readyReplicas'] ?? 0),
  age,
];

/**
 * Validates a selector on its own.
 *
 * @param kind that the error names
 */
export function validateOwnSelector(selector: LabelSelector, kind: string): FieldError[] {
  return [
    ...validateLabelSelector(selector, 'spec.selector'),
    ...(isEmpty(selector) ? [invalid('spec.selector', {}, `empty selector is invalid for ${kind}`)] : []),
  ];
}

const isEmpty = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;

export const shownLabels = (labels: PodTemplate['metadata']['labels']): Json =>
  labels === undefined ? null : inKeyOrder(labels);

export const shownSelector = (selector: LabelSelector | null): Json =>
  selector?.matchLabels === undefined
    ? selector
    : { ...selector, matchLabels: inKeyOrder(selector.matchLabels) };

/** Whether a selector is valid, so that labels can be matched. */
export function isAskable(selector: LabelSelector | null): boolean {
  return selector === null || validateLabelSelector(selector, '').length === 0;
}

/** The selector must match the pods of the template. An empty selector is refused by another rule. */
export function validateSelection(
  selector: LabelSelector | null,
  { metadata: { labels } }: PodTemplate,
): FieldError[] {
  const isTaken = (selector !== null && isEmpty(selector)) || matcherOf(selector)(labels);
  const problem = '`selector` does not match template `labels`';
  return isTaken ? [] : [invalid('spec.template.metadata.labels', shownLabels(labels), problem)];
}

/** Pods of a template must run forever: their restartPolicy is Always, and they have no deadline. */
export function validateLasting(
  { restartPolicy, activeDeadlineSeconds }: PodSpec,
  kind: string,
): FieldError[] {
  const path = 'spec.template.spec';
  return [
    ...(restartPolicy === 'Always'
      ? []
      : [notSupported(`${path}.restartPolicy`, restartPolicy ?? '', ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [
          forbiddenField(
            `${path}.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
}

/** The rules that Deployments and ReplicaSets share: a selector, and a template whose pods it matches. */
export function validateReplicated({ selector, template }: Workload['spec']): FieldError[] {
  return [
    ...(selector === null ? [required('spec.selector')] : validateOwnSelector(selector, 'deployment')),
    ...(isAskable(selector)
      ? [
          ...validateSelection(selector, template),
          ...validatePodTemplate(template, 'spec.template'),
          ...validateLasting(template.spec, 'ReplicaSet'),
        ]
      : [invalid('spec.selector', shownSelector(selector), 'invalid label selector')]),
  ];
}

/** Validates counts of pods, some of which must not exceed others. */
export function validateReplicaCounts(
  status: JsonObject,
  counts: readonly string[],
  others: readonly string[],
): FieldError[] {
  return [
    ...notNegative(status, 'status', ['replicas', ...counts, ...others]),
    ...notAbove(status, 'status', counts, 'replicas', 'cannot be greater than status.replicas'),
    ...notAbove(
      status,
      'status',
      ['availableReplicas'],
      'readyReplicas',
      'cannot be greater than readyReplicas',
    ),
  ];
}

/** collisionCount, the number of revision names that were already taken, must not decrease. */
export function validateCollisions(
  { collisionCount: count }: JsonObject,
  { collisionCount: before }: JsonObject,
): FieldError[] {
  return typeof before === 'number' && (typeof count !== 'number' || count < before)
    ? [invalid('status.collisionCount', count ?? 0, 'cannot be decremented')]
    : [];
}

/** Warns about a template only if the write may have changed it. */
export function templateWarnings(
  template: PodTemplate,
  old: PodTemplate | undefined,
  path: string,
): string[] {
  return old !== undefined && JSON.stringify(template) === JSON.stringify(old)
    ? []
    : [...podWarnings(template.spec, template.metadata, path)];
}

export const workloadWarnings = ({ spec }: Workload, old: KubeObject | undefined): string[] =>
  templateWarnings(spec.template, (old as Workload | undefined)?.spec.template, 'spec.template');

/** The warnings for pods that are named after the object. */
export const namedWarnings = (object: Workload, old: KubeObject | undefined): string[] => [
  ...podNameWarnings(object, old),
  ...workloadWarnings(object, old),
];
