import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import { type JsonObject, jsonEqual } from '../../meta/json.ts';
import type { KubeObject, LabelSelector } from '../../meta/kube-object.ts';
import { longName } from '../../meta/names.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { formatSelector, matcherOf } from '../../selectors/label-selector.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import { goValue } from '../go-diff.ts';
import { applyPodSpecDefaults } from '../pod-spec.ts';
import { podNameWarnings } from '../pod-name-warnings.ts';
import { type PodTemplate, validatePodTemplate } from '../pod-template.ts';
import { podWarnings } from '../pod-warnings.ts';
import { type KindDescription, describedResource } from './described-resource.ts';
import { notNegative, notNegativeOrPercentage } from '../numbers.ts';
import { age, containerColumns, printLabels, text, typed } from './shown.ts';

/* apps/v1 and the controllers and templates of the core group: what makes pods that run on. */

interface Workload extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector | null;
    template: PodTemplate;
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  } & JsonObject;
  status: { [field: string]: number | undefined };
}

const scale: KindDescription['scale'] = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

const workloadColumns = [
  ...containerColumns((object) => (object as Workload).spec.template.spec),
  text<Workload>(
    'Selector',
    'Which pods are its own',
    ({ spec }) => formatSelector(spec.selector) || '<none>',
    1,
  ),
];

/** Of a template whose pods the selector must take. */
function validateTemplate(
  { selector, template }: Workload['spec'],
  kind: string,
  isSelectorJudged = true,
): FieldError[] {
  const errors: FieldError[] = [];
  if (selector !== null) {
    errors.push(...(isSelectorJudged ? validateLabelSelector(selector, 'spec.selector') : []));
    if (Object.keys(selector).length === 0) {
      errors.push(invalid('spec.selector', {}, `empty selector is invalid for ${kind}`));
    }
  }
  const { labels } = template.metadata;
  if (!(selector !== null && Object.keys(selector).length === 0) && !matcherOf(selector)(labels)) {
    errors.push(
      invalid('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'),
    );
  }
  errors.push(...validatePodTemplate(template, 'spec.template'));
  const { restartPolicy } = template.spec;
  if (restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always']));
  }
  return errors;
}

/** Of a template only when a write could have changed it. */
export function templateWarnings(
  template: PodTemplate,
  old: PodTemplate | undefined,
  path: string,
): string[] {
  return old !== undefined && JSON.stringify(template) === JSON.stringify(old)
    ? []
    : [...podWarnings(template.spec, template.metadata, path)];
}

const warnings = ({ spec }: Workload, old: KubeObject | undefined): string[] =>
  templateWarnings(spec.template, (old as Workload | undefined)?.spec.template, 'spec.template');

const namedWarnings = (object: Workload, old: KubeObject | undefined): string[] => [
  ...podNameWarnings(object, old),
  ...warnings(object, old),
];

interface Deployment extends Workload {
  spec: Workload['spec'] & {
    strategy: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string };
    };
    progressDeadlineSeconds?: number;
  };
}

export const deployments = describedResource({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  namespaced: true,
  struct: 'apps.v1.Deployment',
  storageVersionHash: '8aSe+NMegvE=',
  hasGeneration: true,
  countsAnnotations: true,
  hasStatus: true,
  statusKeeps: ['labels'],
  emptyFields: { spec: { replicas: 0 } },
  scale,
  applyDefaults({ spec }: Deployment) {
    spec.replicas ??= 1;
    spec.strategy.type ??= 'RollingUpdate';
    if (spec.strategy.type === 'RollingUpdate') {
      spec.strategy.rollingUpdate ??= {};
      spec.strategy.rollingUpdate.maxUnavailable ??= '25%';
      spec.strategy.rollingUpdate.maxSurge ??= '25%';
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    applyPodSpecDefaults(spec.template.spec);
  },
  immutable: ['spec.selector'],
  judgedHere: ['core.v1.PodTemplateSpec', 'apps.v1.DeploymentStrategy'],
  refusals({ spec }: Deployment) {
    const { minReadySeconds = 0, progressDeadlineSeconds, strategy } = spec;
    return [
      ...notNegative(spec, 'spec', ['replicas']),
      ...validateTemplate(spec, 'deployment'),
      ...validateStrategy(strategy),
      ...notNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit']),
      ...(progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds
        ? [
            invalid(
              'spec.progressDeadlineSeconds',
              progressDeadlineSeconds,
              'must be greater than minReadySeconds',
            ),
          ]
        : []),
    ];
  },
  warnings: namedWarnings,
  shown: [
    text<Deployment>('Ready', 'Ready pods of those wanted', ({ spec, status }) => {
      const { readyReplicas = 0 } = status;
      return `${readyReplicas}/${spec.replicas ?? 0}`;
    }),
    text<Deployment>(
      'Up-to-date',
      'Pods of the newest template',
      ({ status }) => status['updatedReplicas'] ?? 0,
    ),
    text<Deployment>(
      'Available',
      'Pods that are ready for long enough',
      ({ status }) => status['availableReplicas'] ?? 0,
    ),
    age,
    ...workloadColumns,
  ],
});

function validateStrategy(strategy: Deployment['spec']['strategy']): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    return rollingUpdate === undefined
      ? []
      : [
          forbiddenField(
            'spec.strategy.rollingUpdate',
            "may not be specified when strategy `type` is 'Recreate'",
          ),
        ];
  }
  if (type !== 'RollingUpdate') {
    const shown = goValue({ ...strategy }, 'apps.v1.DeploymentStrategy');
    return [notSupported('spec.strategy', shown, ['Recreate', 'RollingUpdate'])];
  }
  return rollingUpdate !== undefined && isNone(rollingUpdate.maxSurge) && isNone(rollingUpdate.maxUnavailable)
    ? [
        invalid(
          'spec.strategy.rollingUpdate.maxUnavailable',
          rollingUpdate.maxUnavailable,
          'may not be 0 when `maxSurge` is 0',
        ),
      ]
    : [];
}

const isNone = (value: number | string | undefined): boolean => Number.parseInt(String(value), 10) === 0;

function validateUpdateStrategy(strategy: DaemonSet['spec']['updateStrategy']): FieldError[] {
  const { type, rollingUpdate = {} } = strategy;
  if (type === 'OnDelete') {
    return [];
  }
  if (type !== 'RollingUpdate') {
    const shown = goValue(strategy, 'apps.v1.DaemonSetUpdateStrategy');
    return [notSupported('spec.updateStrategy', shown, ['RollingUpdate', 'OnDelete'])];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const path = 'spec.updateStrategy.rollingUpdate';
  const errors = [
    ...notNegativeOrPercentage(maxUnavailable, `${path}.maxUnavailable`),
    ...notNegativeOrPercentage(maxSurge, `${path}.maxSurge`),
  ];
  if (!isNone(maxUnavailable) && !isNone(maxSurge)) {
    errors.push(invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (isNone(maxUnavailable) && isNone(maxSurge)) {
    errors.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}

const replicaColumns = [
  typed<Workload>('Desired', 'integer', 'How many pods are wanted', ({ spec }) => spec.replicas ?? 0),
  typed<Workload>('Current', 'integer', 'How many there are', ({ status }) => status['replicas'] ?? 0),
  typed<Workload>('Ready', 'integer', 'How many are ready', ({ status }) => status['readyReplicas'] ?? 0),
  age,
];

export const replicaSets = describedResource({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  namespaced: true,
  struct: 'apps.v1.ReplicaSet',
  storageVersionHash: 'P1RzHs8/mWQ=',
  hasGeneration: true,
  hasStatus: true,
  emptyFields: { spec: { replicas: 0 } },
  scale,
  selectableFields: { 'status.replicas': ({ status }) => String((status as { replicas: number }).replicas) },
  hasFieldLabelConversion: true,
  applyDefaults({ spec }: Workload) {
    spec.replicas ??= 1;
    applyPodSpecDefaults(spec.template.spec);
  },
  immutable: ['spec.selector'],
  refusals: ({ spec }: Workload) => [
    ...notNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
    // The real server says it of deployments here too.
    ...validateTemplate(spec, 'deployment'),
  ],
  warnings: namedWarnings,
  shown: [...replicaColumns, ...workloadColumns],
});

interface DaemonSet extends Workload {
  spec: Workload['spec'] & {
    updateStrategy: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string };
    } & JsonObject;
  };
}

/** How often the template was changed, which had a field of its own before apps/v1. */
const templateGeneration = 'deprecated.daemonset.template.generation';

export const daemonSets = describedResource({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  namespaced: true,
  struct: 'apps.v1.DaemonSet',
  storageVersionHash: 'dd7pWHUlMKQ=',
  specAnnotations: [templateGeneration],
  hasGeneration: true,
  hasStatus: true,
  applyDefaults({ metadata, spec }: DaemonSet) {
    const { updateStrategy } = spec;
    // Who does not send it writes it all the same, and comes to own it.
    metadata.annotations = { [templateGeneration]: '0', ...metadata.annotations };
    updateStrategy.type ??= 'RollingUpdate';
    if (updateStrategy.type === 'RollingUpdate') {
      updateStrategy.rollingUpdate ??= {};
      updateStrategy.rollingUpdate.maxUnavailable ??= 1;
      updateStrategy.rollingUpdate.maxSurge ??= 0;
    } else if (updateStrategy.rollingUpdate !== undefined) {
      // Not defaulted, but always shown.
      updateStrategy.rollingUpdate.maxUnavailable ??= 0;
      updateStrategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
    applyPodSpecDefaults(spec.template.spec);
  },
  prepareForCreate({ metadata }: DaemonSet) {
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: '1' };
  },
  prepareForUpdate({ metadata, spec }: DaemonSet, old: DaemonSet) {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
    const isChanged = !jsonEqual(spec.template, old.spec.template);
    const count = String(before + Number(isChanged));
    metadata.annotations = { ...metadata.annotations, [templateGeneration]: count };
  },
  // A set without a selector is refused for what follows from that.
  judgedHere: ['core.v1.PodTemplateSpec', 'apps.v1.DaemonSetSpec'],
  refusals({ spec }: DaemonSet, old) {
    return [
      ...(old === undefined
        ? []
        : validateImmutable(spec.selector, (old as DaemonSet).spec.selector, 'spec.selector')),
      ...validateTemplate(spec, 'daemonset'),
      ...notNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit']),
      ...validateUpdateStrategy(spec.updateStrategy),
    ];
  },
  warnings,
  shown: [
    ...[
      ['Desired', 'desiredNumberScheduled', 'How many nodes should have its pod'],
      ['Current', 'currentNumberScheduled', 'How many nodes have it'],
      ['Ready', 'numberReady', 'On how many it is ready'],
      ['Up-to-date', 'updatedNumberScheduled', 'On how many it is of the newest template'],
      ['Available', 'numberAvailable', 'On how many it is ready for long enough'],
    ].map(([name = '', field = '', description = '']) =>
      typed<DaemonSet>(name, 'integer', description, ({ status }) => status[field] ?? 0),
    ),
    text<DaemonSet>('Node Selector', 'Which nodes it is for', ({ spec }) =>
      printLabels(spec.template.spec['nodeSelector']),
    ),
    age,
    ...workloadColumns,
  ],
});

interface ReplicationController extends KubeObject {
  spec: {
    replicas?: number;
    selector?: { [key: string]: string };
    template?: PodTemplate;
  } & JsonObject;
}

export const replicationControllers = describedResource({
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  nameRule: longName,
  shortNames: ['rc'],
  categories: ['all'],
  namespaced: true,
  struct: 'core.v1.ReplicationController',
  storageVersionHash: 'Jond2If31h0=',
  hasGeneration: true,
  hasStatus: true,
  orphansByDefault: '',
  scale: {
    specReplicas: ['spec', 'replicas'],
    statusReplicas: ['status', 'replicas'],
    selectedLabels: ['spec', 'selector'],
  },
  applyDefaults({ metadata, spec }: ReplicationController) {
    const labels = spec.template?.metadata.labels;
    if (labels !== undefined) {
      spec.selector ??= { ...labels };
      metadata.labels ??= { ...labels };
    }
    spec.replicas ??= 1;
    if (spec.template !== undefined) {
      applyPodSpecDefaults(spec.template.spec);
    }
  },
  refusals({ spec }: ReplicationController) {
    const { selector = {}, template } = spec;
    const errors = notNegative(spec, 'spec', ['minReadySeconds']);
    if (Object.keys(selector).length === 0) {
      errors.push(required('spec.selector'));
    }
    errors.push(...notNegative(spec, 'spec', ['replicas']));
    if (template === undefined) {
      return [...errors, required('spec.template')];
    }
    return [...errors, ...validateTemplateOf(selector, template)];
  },
  warnings: (object, old) => [
    ...podNameWarnings(object, old),
    ...((object as ReplicationController).spec.template === undefined
      ? []
      : warnings(object as Workload, old)),
  ],
  shown: [
    ...replicaColumns,
    ...containerColumns((object) => (object as ReplicationController).spec.template?.spec),
    text<ReplicationController>(
      'Selector',
      'Which pods are its own',
      ({ spec }) => printLabels(spec.selector),
      1,
    ),
  ],
});

function validateTemplateOf(matchLabels: { [key: string]: string }, template: PodTemplate): FieldError[] {
  return validateTemplate({ selector: { matchLabels }, template }, 'replicationcontroller', false);
}

interface StoredTemplate extends KubeObject {
  template: PodTemplate;
}

export const podTemplates = describedResource({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  struct: 'core.v1.PodTemplate',
  storageVersionHash: 'LIXB2x4IFpk=',
  hasGeneration: true,
  returnsDeletedObject: true,
  applyDefaults({ template }: StoredTemplate) {
    applyPodSpecDefaults(template.spec);
  },
  refusals: ({ template }: StoredTemplate) => validatePodTemplate(template, 'template'),
  warnings: ({ template }: StoredTemplate, old) =>
    templateWarnings(template, (old as StoredTemplate | undefined)?.template, 'template'),
  shown: [
    ...containerColumns((object) => (object as StoredTemplate).template.spec, 0),
    text<StoredTemplate>('Pod Labels', 'The labels for the pod template.', ({ template }) =>
      printLabels(template.metadata.labels),
    ),
  ],
});
