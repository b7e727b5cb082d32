import { notNegative } from '../numbers.ts';
import { applyPodSpecDefaults } from '../pod-spec-defaults.ts';
import { describedResource } from './described-resource.ts';
import {
  type Workload,
  namedWarnings,
  replicaColumns,
  validateReplicaCounts,
  validateReplicated,
  workloadColumns,
  workloadScale,
} from './workload.ts';

/** apps/v1 */
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
  scale: workloadScale,
  selectableFields: { 'status.replicas': ({ status }) => String((status as { replicas: number }).replicas) },
  hasFieldLabelConversion: true,
  applyDefaults({ spec }: Workload) {
    spec.replicas ??= 1;
    applyPodSpecDefaults(spec.template.spec);
  },
  immutable: ['spec.selector'],
  refusals: ({ spec }: Workload) => [
    ...notNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...validateReplicated(spec),
  ],
  statusRefusals: ({ status }: Workload) =>
    validateReplicaCounts(
      status,
      ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
      ['observedGeneration', 'terminatingReplicas'],
    ),
  warnings: namedWarnings,
  shown: [...replicaColumns, ...workloadColumns],
});
