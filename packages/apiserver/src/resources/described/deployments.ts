import { type FieldError, forbiddenField, invalid, notSupported } from '../../meta/field-error.ts';
import { goValue } from '../go-diff.ts';
import { amountOf, notNegative, notNegativeOrAnyPercentage, notNegativeOrPercentage } from '../numbers.ts';
import { applyPodSpecDefaults } from '../pod-spec-defaults.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';
import {
  type Workload,
  namedWarnings,
  validateCollisions,
  validateReplicaCounts,
  validateReplicated,
  workloadColumns,
  workloadScale,
} from './workload.ts';

interface Deployment extends Workload {
  spec: Workload['spec'] & {
    strategy: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string };
    };
    progressDeadlineSeconds?: number;
  };
}

/** apps/v1 */
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
  scale: workloadScale,
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
  refusals: ({ spec }: Deployment) => [
    ...notNegative(spec, 'spec', ['replicas']),
    ...validateReplicated(spec),
    ...validateStrategy(spec.strategy),
    ...notNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
    ...validateDeadline(spec),
  ],
  statusRefusals: ({ status }: Deployment, old) => [
    ...validateReplicaCounts(
      status,
      ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      ['observedGeneration', 'unavailableReplicas', 'terminatingReplicas', 'collisionCount'],
    ),
    ...validateCollisions(status, (old as Deployment).status),
  ],
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

function validateDeadline({
  minReadySeconds = 0,
  progressDeadlineSeconds,
}: Deployment['spec']): FieldError[] {
  return progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds
    ? [
        invalid(
          'spec.progressDeadlineSeconds',
          progressDeadlineSeconds,
          'must be greater than minReadySeconds',
        ),
      ]
    : [];
}

function validateStrategy(strategy: Deployment['spec']['strategy']): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const path = 'spec.strategy.rollingUpdate';
  switch (type) {
    case 'Recreate':
      return rollingUpdate === undefined
        ? []
        : [forbiddenField(path, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      return validateRollingUpdate(rollingUpdate ?? {}, path);
    default: {
      const shown = goValue({ ...strategy }, 'apps.v1.DeploymentStrategy');
      return [notSupported('spec.strategy', shown, ['Recreate', 'RollingUpdate'])];
    }
  }
}

function validateRollingUpdate(
  { maxUnavailable, maxSurge }: NonNullable<Deployment['spec']['strategy']['rollingUpdate']>,
  path: string,
): FieldError[] {
  return [
    ...notNegativeOrPercentage(maxUnavailable, `${path}.maxUnavailable`),
    ...notNegativeOrAnyPercentage(maxSurge, `${path}.maxSurge`),
    ...(amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
  ];
}
