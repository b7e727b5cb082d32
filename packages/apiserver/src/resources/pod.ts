import { type FieldError, forbiddenField } from '../meta/field-error.ts';
import { jsonEqual, withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../meta/names.ts';
import { formatTime } from '../schema/decode.ts';
import { useAppArmorAnnotations } from './app-armor.ts';
import { goDiff } from './go-diff.ts';
import { addressWarnings } from './ip-warnings.ts';
import { podBinding } from './pod-binding.ts';
import { podCells } from './pod-cells.ts';
import { podEviction } from './pod-eviction.ts';
import type { Pod, PodStatus } from './pod-object.ts';
import { ephemeralContainers, resize } from './pod-parts.ts';
import {
  type Container,
  type PodSpec,
  type Toleration,
  applyPodSpecDefaults,
  validatePodSpec,
} from './pod-spec.ts';
import { podWarnings } from './pod-warnings.ts';
import { qosClassOf } from './quality-of-service.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn } from './table-columns.ts';

const mutableFieldsMessage =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

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
  validation: 'usual mistakes',
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
    applyPodSpecDefaults(pod.spec);
    // Templates have only the limits, and ports of the host, that they are given.
    for (const { resources, ports = [] } of [
      ...(pod.spec.initContainers ?? []),
      ...(pod.spec.containers ?? []),
    ]) {
      if (resources.limits !== undefined) {
        resources.requests = { ...resources.limits, ...resources.requests };
      }
      for (const port of pod.spec.hostNetwork === true ? ports : []) {
        port.hostPort ??= port.containerPort;
      }
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
    useAppArmorAnnotations(spec, pod.metadata, warn);
  },
  validate: (pod: Pod) => [
    ...validatePod(pod),
    ...((pod.spec.ephemeralContainers ?? []).length === 0
      ? []
      : [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]),
  ],
  prepareForUpdate(pod: Pod, old: Pod) {
    pod.status = old.status;
  },
  validateUpdate(pod: Pod, old: Pod) {
    const errors = validatePod(pod);
    if (pod.spec.containers?.length !== old.spec.containers?.length) {
      return [...errors, forbiddenField('spec.containers', 'pod updates may not add or remove containers')];
    }
    errors.push(...validateTolerationsKept(old.spec, pod.spec));
    const allowed = withMutableFields(old.spec, pod.spec);
    if (!jsonEqual(pod.spec, allowed)) {
      // What may change is not shown to have.
      const shown = withoutChanges(pod.spec, allowed, old.spec);
      errors.push(
        forbiddenField('spec', `${mutableFieldsMessage}\n${goDiff(old.spec, shown, 'core.v1.PodSpec')}`),
      );
    }
    return errors;
  },
  // Updates are made by controllers more than by people, and are many.
  warnings: (pod: Pod, old: Pod | undefined) =>
    old === undefined ? [...hostnameWarnings(pod), ...podWarnings(pod.spec, pod.metadata, undefined)] : [],
  status: {
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

/** podIP is the first of podIPs, which came later; a client that writes it alone means both. */
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

function validatePod(pod: Pod): FieldError[] {
  return validatePodSpec(pod.spec, 'spec');
}

function validateTolerationsKept(old: PodSpec, next: PodSpec): FieldError[] {
  const kept = (toleration: Toleration): boolean =>
    (next.tolerations ?? []).some((other) =>
      jsonEqual(
        withoutFields(toleration, ['tolerationSeconds']),
        withoutFields(other, ['tolerationSeconds']),
      ),
    );
  return (old.tolerations ?? []).every(kept)
    ? []
    : [
        forbiddenField(
          'spec.tolerations',
          'existing toleration can not be modified except its tolerationSeconds',
        ),
      ];
}

/** The new spec with the old values of all that may change; of containers it is the image that may. */
function withoutChanges(next: PodSpec, allowed: PodSpec, old: PodSpec): PodSpec {
  const shown: PodSpec = { ...next };
  for (const field of Object.keys({ ...allowed, ...old })) {
    if (field === 'containers' || field === 'initContainers') {
      const containers = shown[field]?.map((container, index) => {
        const image = old[field]?.[index]?.image;
        return image === undefined ? container : { ...container, image };
      });
      if (containers !== undefined) {
        shown[field] = containers;
      }
    } else if (jsonEqual(allowed[field], old[field])) {
      continue;
    } else if (old[field] === undefined) {
      Reflect.deleteProperty(shown, field);
    } else {
      shown[field] = old[field];
    }
  }
  return shown;
}

/** The old spec with the few fields of the new one that may change on a running pod. */
function withMutableFields(old: PodSpec, next: PodSpec): PodSpec {
  const images = (
    before: Container[] | null | undefined,
    after: Container[] | null | undefined,
  ): Container[] | null =>
    before?.map((container, index) => {
      const image = after?.[index]?.image;
      return image === undefined ? container : { ...container, image };
    }) ?? null;
  const allowed: PodSpec = { ...old, containers: images(old.containers, next.containers) };
  const initContainers = images(old.initContainers, next.initContainers);
  if (initContainers !== null) {
    allowed.initContainers = initContainers;
  }
  const deadline = next.activeDeadlineSeconds;
  const before = old.activeDeadlineSeconds;
  if (deadline !== undefined && (before === undefined || deadline <= before)) {
    allowed.activeDeadlineSeconds = deadline;
  }
  // A refused change of tolerations has an error of its own: validateTolerationsKept.
  if (next.tolerations === undefined) {
    delete allowed.tolerations;
  } else {
    allowed.tolerations = next.tolerations;
  }
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1) {
    allowed.terminationGracePeriodSeconds = 1;
  }
  const gates = next.schedulingGates ?? [];
  if (gates.every((gate) => old.schedulingGates?.some((other) => jsonEqual(gate, other)))) {
    if (next.schedulingGates === undefined) {
      delete allowed.schedulingGates;
    } else {
      allowed.schedulingGates = next.schedulingGates;
    }
  }
  return allowed;
}
