import { required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { longName } from '../../meta/names.ts';
import { notNegative } from '../numbers.ts';
import { podNameWarnings } from '../pod-name-warnings.ts';
import { applyPodSpecDefaults } from '../pod-spec-defaults.ts';
import { type PodTemplate, validatePodTemplate } from '../pod-template.ts';
import { describedResource } from './described-resource.ts';
import { containerColumns, printLabels, text } from './shown.ts';
import {
  type Workload,
  replicaColumns,
  validateLasting,
  validateReplicaCounts,
  validateSelection,
  workloadWarnings,
} from './workload.ts';

interface ReplicationController extends KubeObject {
  spec: {
    replicas?: number;
    selector?: { [key: string]: string };
    template?: PodTemplate;
  } & JsonObject;
  status: JsonObject;
}

/** core/v1 */
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
  refusals: ({ spec }: ReplicationController) => [
    ...notNegative(spec, 'spec', ['minReadySeconds']),
    ...(Object.keys(spec.selector ?? {}).length === 0 ? [required('spec.selector')] : []),
    ...notNegative(spec, 'spec', ['replicas']),
    ...(spec.template === undefined
      ? [required('spec.template')]
      : [
          ...validateSelection({ matchLabels: spec.selector ?? {} }, spec.template),
          ...validatePodTemplate(spec.template, 'spec.template'),
          ...validateLasting(spec.template.spec, 'ReplicationController'),
        ]),
  ],
  statusRefusals: ({ status }: ReplicationController) =>
    validateReplicaCounts(
      status,
      ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
      ['observedGeneration'],
    ),
  warnings: (object, old) => [
    ...podNameWarnings(object, old),
    ...((object as ReplicationController).spec.template === undefined
      ? []
      : workloadWarnings(object as Workload, old)),
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
