import type { KubeObject, ObjectMeta } from '../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../meta/names.ts';
import { formatTime } from '../schema/decode.ts';
import { useAppArmorAnnotations } from './app-armor.ts';
import { dropGatedFields } from './gated-fields.ts';
import { addressWarnings } from './ip-warnings.ts';
import { podBinding } from './pod-binding.ts';
import { podCells } from './pod-cells.ts';
import { podEviction } from './pod-eviction.ts';
import type { Pod, PodStatus } from './pod-object.ts';
import { ephemeralContainers, resize } from './pod-parts.ts';
import { applyPodResourceDefaults } from './pod-resource-defaults.ts';
import type { ContainerPort, PodSpec } from './pod-spec.ts';
import { applyPodSpecDefaults } from './pod-spec-defaults.ts';
import { type SelectorByKeys, completeSelector } from './pod-validation/label-keys.ts';
import { validateNewPod } from './pod-validation/pod.ts';
import { validateStatusUpdate } from './pod-validation/pod-status.ts';
import { validatePodUpdate } from './pod-validation/pod-update.ts';
import { podWarnings } from './pod-warnings.ts';
import { qosClassOf } from './quality-of-service.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn } from './table-columns.ts';

const rowsOfEnded: Readonly<Record<string, { readonly reason: string; readonly message: string }>> = {
  Succeeded: { reason: 'Succeeded', message: 'The pod has completed successfully.' },
  Failed: { reason: 'Failed', message: 'The pod failed.' },
};

export const pods: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  struct: 'core.v1.Pod',
  nameRule: dnsSubdomain,
  storageVersionHash: 'xPOwRZ+Yhw8=',
  hasGeneration: true,
  returnsDeletedObject: true,
  hasFieldLabelConversion: true,
  selectableFields: {
    'spec.nodeName': (pod: KubeObject) => specOf(pod).nodeName ?? '',
    'spec.restartPolicy': (pod: KubeObject) => specOf(pod).restartPolicy ?? '',
    'spec.schedulerName': (pod: KubeObject) => specOf(pod).schedulerName ?? '',
    'spec.serviceAccountName': (pod: KubeObject) => specOf(pod).serviceAccountName ?? '',
    'spec.hostNetwork': (pod: KubeObject) => String(specOf(pod).hostNetwork ?? false),
    'status.phase': (pod: KubeObject) => statusOf(pod).phase ?? '',
    'status.podIP': (pod: KubeObject) => statusOf(pod).podIPs?.[0]?.ip ?? statusOf(pod).podIP ?? '',
    'status.podIPs': (pod: KubeObject) => statusOf(pod).podIPs?.[0]?.ip ?? statusOf(pod).podIP ?? '',
    'status.nominatedNodeName': (pod: KubeObject) => statusOf(pod).nominatedNodeName ?? '',
  },
  actions: [podBinding, podEviction],
  parts: { ephemeralcontainers: ephemeralContainers, resize },

  applyDefaults(pod: Pod) {
    dropOldAnnotations(pod.metadata);
    applyPodSpecDefaults(pod.spec);
    applyPodResourceDefaults(pod.spec);
    if (pod.spec.hostNetwork === true) {
      applyHostPorts(pod.spec);
    }
    pod.spec.enableServiceLinks ??= true;
    if ((pod.spec.terminationGracePeriodSeconds ?? 0) < 0) {
      pod.spec.terminationGracePeriodSeconds = 1;
    }
  },
  prepareForCreate(pod: Pod, { warn, now }) {
    const { spec } = pod;
    pod.status = { phase: 'Pending', qosClass: qosClassOf(spec) };
    if ((spec.schedulingGates ?? []).length > 0) {
      pod.status.conditions = [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
          lastTransitionTime: formatTime(now),
        },
      ];
    }
    for (const selecting of selectorsByKeys(spec)) {
      completeSelector(selecting, pod.metadata.labels ?? {});
    }
    useAppArmorAnnotations(spec, pod.metadata, warn);
  },
  validate: validateNewPod,
  prepareForUpdate(pod: Pod, old: Pod) {
    pod.status = old.status;
  },
  validateUpdate: validatePodUpdate,
  // Only new pods get warnings, because most updates come from controllers, and there are many.
  warnings: (pod: Pod, old: Pod | undefined) =>
    old === undefined ? [...hostnameWarnings(pod), ...podWarnings(pod.spec, pod.metadata, undefined)] : [],
  status: {
    validateUpdate: validateStatusUpdate,
    prepareForUpdate(pod: Pod, old: Pod) {
      pod.spec = old.spec;
      const { ownerReferences } = old.metadata;
      if (ownerReferences === undefined) {
        delete pod.metadata.ownerReferences;
      } else {
        pod.metadata.ownerReferences = ownerReferences;
      }
      keepAddressesAlike(pod.status);
      if (pod.status.qosClass === undefined && old.status.qosClass !== undefined) {
        pod.status.qosClass = old.status.qosClass;
      }
      keepObservedGenerations(pod.status, old.status);
      dropGatedFields(pod.status, 'core.v1.PodStatus');
    },
    warnings: ({ status }: Pod) =>
      (['podIPs', 'hostIPs'] as const).flatMap((field) =>
        (status[field] ?? []).flatMap(({ ip }, index) => addressWarnings(ip, `status.${field}[${index}].ip`)),
      ),
    keptMetadata: ['deletionTimestamp', 'ownerReferences'],
  },

  gracePeriodSeconds(pod: Pod, requested) {
    const isOver = pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded';
    if ((pod.spec.nodeName ?? '') === '' || isOver) {
      return 0;
    }
    const period = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
    return period < 0 ? 1 : period;
  },

  columns: [
    nameColumn,
    column('Ready', 'Ready containers of all'),
    column('Status', 'The state of the pod in one word'),
    column('Restarts', 'How often its containers were restarted and when last'),
    ageColumn,
    column('IP', 'The address of the pod', 1),
    column('Node', 'The node the pod is bound to', 1),
    column('Nominated Node', 'The node kept free for the pod', 1),
    column('Readiness Gates', 'Fulfilled readiness gates of all', 1),
  ],
  cells: podCells,
  rowConditions: ({ status }: Pod) => {
    const ended = rowsOfEnded[status.phase ?? ''];
    return ended === undefined ? [] : [{ type: 'Completed', status: 'True', ...ended }];
  },
};

/**
 * Keeps observedGeneration if the new status leaves it out. The n-th condition of a type corresponds to the
 * old n-th one.
 */
function keepObservedGenerations(status: PodStatus, old: PodStatus): void {
  if (status.observedGeneration === undefined && old.observedGeneration !== undefined) {
    status.observedGeneration = old.observedGeneration;
  }
  const left = new Map(
    [...Map.groupBy(old.conditions ?? [], ({ type }) => type)].map(([type, same]) => [type, same.values()]),
  );
  for (const condition of status.conditions ?? []) {
    const before = left.get(condition.type)?.next().value;
    if (condition.observedGeneration === undefined && before?.observedGeneration !== undefined) {
      condition.observedGeneration = before.observedGeneration;
    }
  }
}

/**
 * podIP is the first of podIPs, which is the newer field. A client that writes only one of them sets both.
 */
function keepAddressesAlike(status: PodStatus): void {
  const { podIP, podIPs } = status;
  if (podIP !== undefined && podIPs?.[0]?.ip !== podIP) {
    status.podIPs = [{ ip: podIP }];
  } else if (podIP === undefined && podIPs?.[0] !== undefined) {
    status.podIP = podIPs[0].ip;
  }
}

function specOf(pod: KubeObject): PodSpec {
  return (pod as Pod).spec;
}

function statusOf(pod: KubeObject): PodStatus {
  return (pod as Pod).status;
}

function hostnameWarnings({ metadata: { name = '' } }: Pod): readonly string[] {
  const problems = dnsLabel(name, false);
  return problems.length === 0
    ? []
    : [
        `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
      ];
}

/** The annotations for init containers, which are older than the field. */
const oldAnnotations = ['alpha', 'beta'].flatMap((stage) =>
  ['init-containers', 'init-container-statuses'].map((what) => `pod.${stage}.kubernetes.io/${what}`),
);

function dropOldAnnotations(metadata: ObjectMeta): void {
  const { annotations } = metadata;
  if (annotations === undefined || !oldAnnotations.some((key) => annotations[key] !== undefined)) {
    return;
  }
  const kept = Object.entries(annotations).filter(([key]) => !oldAnnotations.includes(key));
  if (kept.length === 0) {
    delete metadata.annotations;
  } else {
    metadata.annotations = Object.fromEntries(kept);
  }
}

/** In the host's network, container ports are host ports. This default does not apply to templates. */
function applyHostPorts(spec: PodSpec): void {
  const ports = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].flatMap(
    (container): ContainerPort[] => container.ports ?? [],
  );
  for (const port of ports) {
    port.hostPort ??= port.containerPort;
  }
}

/** The selectors of other pods that are completed with the pod's own labels. */
function selectorsByKeys({ affinity, topologySpreadConstraints = [] }: PodSpec): readonly SelectorByKeys[] {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((kind) => [
    ...(kind?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
    ...(kind?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ]);
  return [...terms, ...topologySpreadConstraints];
}
