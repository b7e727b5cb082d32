import type { PersistentVolumeClaim } from '../../resources/persistent-volume-claim.ts';
import { isPodLevelResource, podLimits, podRequests } from '../../resources/pod-amounts.ts';
import type { Pod } from '../../resources/pod-object.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { type Amounts, greaterAmounts } from '../../schema/amounts.ts';
import { addQuantities, compareQuantities, wholeQuantity } from '../../schema/quantity.ts';

/* Computes how much of a quota an object uses, as k8s.io/kubernetes/pkg/quota/v1/evaluator/core does. */

/** @param now in milliseconds since the epoch */
export type Usage = (object: KubeObject, now: number) => Amounts;

/** How quotas count the objects of a resource. */
export interface Counted {
  readonly usage: Usage;
  /** Whether these objects use the resource of a quota that has the name. */
  isCounted(name: string): boolean;
  /** What the object must specify because a quota limits the names; undefined if nothing is missing. */
  constraint?(object: KubeObject, names: readonly string[]): string | undefined;
}

const perClass = '.storageclass.storage.k8s.io/';
const perDeviceClass = '.deviceclass.resource.k8s.io/devices';
const mostDevices = 32;

/** The resource name for the number of objects. */
function countName(group: string, plural: string): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

/** Core resources that can be counted by their plural, too. */
const aliases: ReadonlySet<string> = new Set([
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
]);

/** How quotas count the objects of a resource. */
export function countedAs(group: string, plural: string): Counted {
  const own = countName(group, plural);
  const special = (group === '' ? core : group === 'resource.k8s.io' ? devices : undefined)?.[plural];
  if (special !== undefined) {
    return special;
  }
  const names = group === '' && aliases.has(plural) ? [own, plural] : [own];
  return {
    usage: () => Object.fromEntries(names.map((name) => [name, '1'])),
    isCounted: (name) => names.includes(name),
  };
}

const podNames: ReadonlySet<string> = new Set([
  'count/pods',
  'pods',
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** If a quota limits one of these, each container must specify it. */
const mustBeSaid: readonly string[] = [
  'cpu',
  'limits.cpu',
  'limits.memory',
  'memory',
  'requests.cpu',
  'requests.memory',
];

/** Whether the name is that of an extended resource, outside Kubernetes' own domain. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

function usedBy(requests: Amounts, limits: Amounts): Amounts {
  const used: Record<string, string> = { pods: '1' };
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const [request, limit] = [requests[name], limits[name]];
    if (request !== undefined) {
      used[name] = request;
      used[`requests.${name}`] = request;
    }
    if (limit !== undefined) {
      used[`limits.${name}`] = limit;
    }
  }
  for (const [name, request] of Object.entries(requests)) {
    if (name.startsWith('hugepages-')) {
      used[name] = request;
      used[`requests.${name}`] = request;
    } else if (isExtended(name) || name.startsWith('deviceclass.resource.kubernetes.io/')) {
      used[`requests.${name}`] = request;
    }
  }
  return used;
}

/**
 * Finished pods use nothing, and neither do pods that outlived their deletion grace period, because their
 * node is probably gone.
 */
function isUsing({ metadata, status }: Pod, now: number): boolean {
  if (status.phase === 'Failed' || status.phase === 'Succeeded') {
    return false;
  }
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return (
    deletionTimestamp === undefined ||
    deletionGracePeriodSeconds === undefined ||
    now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1_000
  );
}

const pods: Counted = {
  usage(object, now) {
    const pod = object as Pod;
    const options = { withOverhead: true, withStatus: true, isOfPod: isPodLevelResource };
    return {
      'count/pods': '1',
      ...(isUsing(pod, now) ? usedBy(podRequests(pod, options), podLimits(pod, options)) : undefined),
    };
  },
  isCounted: (name) =>
    podNames.has(name) ||
    name.startsWith('hugepages-') ||
    name.startsWith('requests.hugepages-') ||
    (name.startsWith('requests.') &&
      (isExtended(name.slice('requests.'.length)) ||
        name.startsWith('requests.deviceclass.resource.kubernetes.io/'))),
  constraint(object, names) {
    const { spec } = object as Pod;
    const { resources } = spec;
    if (Object.keys({ ...resources?.requests, ...resources?.limits }).some(isPodLevelResource)) {
      return undefined;
    }
    const missing = mustBeSaid
      .filter((name) => names.includes(name))
      .flatMap((name) => {
        const silent = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
          .filter((container) => {
            const { requests = {}, limits = {} } = container.resources;
            return usedBy(requests, limits)[name] === undefined;
          })
          .map((container) => container.name);
        return silent.length === 0 ? [] : [`${name} for: ${[...new Set(silent)].sort().join(',')}`];
      });
    return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
  },
};

interface Service extends KubeObject {
  spec: {
    type?: string;
    ports?: { nodePort?: number }[] | null;
    allocateLoadBalancerNodePorts?: boolean;
  };
}

function nodePortsOf({ spec }: Service): number {
  const ports = spec.ports ?? [];
  switch (spec.type) {
    case 'NodePort':
      return ports.length;
    case 'LoadBalancer':
      return spec.allocateLoadBalancerNodePorts === false
        ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
        : ports.length;
    default:
      return 0;
  }
}

const serviceNames: ReadonlySet<string> = new Set([
  'count/services',
  'services',
  'services.loadbalancers',
  'services.nodeports',
]);

const services: Counted = {
  usage(object) {
    const service = object as Service;
    return {
      'count/services': '1',
      services: '1',
      'services.loadbalancers': service.spec.type === 'LoadBalancer' ? '1' : '0',
      'services.nodeports': String(nodePortsOf(service)),
    };
  },
  isCounted: (name) => serviceNames.has(name),
};

const claimNames = ['persistentvolumeclaims', 'requests.storage'];

const claims: Counted = {
  usage(object) {
    const { metadata, spec, status } = object as PersistentVolumeClaim;
    const { allocatedResources } = status as { allocatedResources?: Amounts };
    const storageClass =
      metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '';
    const request = spec.resources.requests?.['storage'];
    const used: Record<string, string> = { persistentvolumeclaims: '1' };
    if (request !== undefined) {
      const allocated = allocatedResources?.['storage'];
      const isGrown = allocated !== undefined && compareQuantities(allocated, request) > 0;
      used['requests.storage'] = wholeQuantity(isGrown ? allocated : request);
    }
    const ofClass = Object.entries(used).map(([name, amount]) => [storageClass + perClass + name, amount]);
    return {
      'count/persistentvolumeclaims': '1',
      ...used,
      ...(storageClass === '' ? undefined : (Object.fromEntries(ofClass) as Amounts)),
    };
  },
  isCounted: (name) =>
    name === 'count/persistentvolumeclaims' ||
    claimNames.includes(name) ||
    claimNames.some((own) => name.endsWith(perClass + own)),
};

interface DeviceRequest extends JsonObject {
  deviceClassName?: string;
  allocationMode?: string;
  count?: number;
}

interface ResourceClaim extends KubeObject {
  spec: { devices?: { requests?: { exactly?: DeviceRequest; firstAvailable?: DeviceRequest[] }[] } };
}

function devicesOf({ deviceClassName = '', allocationMode, count = 0 }: DeviceRequest): Amounts {
  const number = allocationMode === 'All' ? mostDevices : allocationMode === 'ExactCount' ? count : 0;
  return { [deviceClassName + perDeviceClass]: String(number) };
}

const resourceClaims: Counted = {
  usage(object) {
    const { devices: asked } = (object as ResourceClaim).spec;
    const used: Record<string, string> = { 'count/resourceclaims.resource.k8s.io': '1' };
    for (const { exactly, firstAvailable = [] } of asked?.requests ?? []) {
      // Of several alternatives, the greatest amounts count.
      const most = (exactly === undefined ? firstAvailable : [exactly])
        .map(devicesOf)
        .reduce<Amounts>(greaterAmounts, {});
      for (const [name, amount] of Object.entries(most)) {
        used[name] = addQuantities(used[name] ?? '0', amount);
      }
    }
    return used;
  },
  isCounted: (name) => name === 'count/resourceclaims.resource.k8s.io' || name.endsWith(perDeviceClass),
};

const core: Readonly<Partial<Record<string, Counted>>> = {
  pods,
  services,
  persistentvolumeclaims: claims,
};
const devices: Readonly<Partial<Record<string, Counted>>> = { resourceclaims: resourceClaims };
