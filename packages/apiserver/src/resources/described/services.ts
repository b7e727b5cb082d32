import { type FieldError, forbiddenField, invalid, invalidObject, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../../meta/names.ts';
import type { Storage } from '../../storage/storage.ts';
import { addressProblem, validateAddress } from '../addresses.ts';
import { describedResource } from './described-resource.ts';
import { validatePort } from '../numbers.ts';
import { age, printLabels, text } from './shown.ts';

/* Services and where they lead: core/v1 and discovery.k8s.io/v1. Nothing routes to them here. */

interface ServicePort extends JsonObject {
  name?: string;
  protocol?: string;
  port: number;
  targetPort?: number | string;
  nodePort?: number;
}

interface Service extends KubeObject {
  spec: {
    type?: string;
    clusterIP?: string;
    clusterIPs?: string[];
    ports?: ServicePort[];
    selector?: { [key: string]: string };
    sessionAffinity?: string;
    sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
    externalName?: string;
    externalIPs?: string[];
    externalTrafficPolicy?: string;
    internalTrafficPolicy?: string;
    ipFamilies?: string[];
    ipFamilyPolicy?: string;
    allocateLoadBalancerNodePorts?: boolean;
    healthCheckNodePort?: number;
  } & JsonObject;
  status: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } } & JsonObject;
}

const affinitySeconds = 3 * 60 * 60;

export const services = describedResource({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  struct: 'core.v1.Service',
  nameRule: dnsLabel,
  storageVersionHash: '0/CO1lhkEBI=',
  allowCreateOnUpdate: true,
  hasStatus: true,
  returnsDeletedObject: true,
  selectableFields: {
    'spec.clusterIP': ({ spec }) => (spec as Service['spec']).clusterIP ?? '',
    'spec.type': ({ spec }) => (spec as Service['spec']).type ?? '',
  },
  hasFieldLabelConversion: true,
  applyDefaults({ spec }: Service) {
    spec.sessionAffinity ??= 'None';
    if (spec.sessionAffinity === 'None') {
      delete spec.sessionAffinityConfig;
    } else if (spec.sessionAffinity === 'ClientIP') {
      spec.sessionAffinityConfig = {
        clientIP: { timeoutSeconds: spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? affinitySeconds },
      };
    }
    spec.type ??= 'ClusterIP';
    for (const port of spec.ports ?? []) {
      port.protocol ??= 'TCP';
      if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') {
        port.targetPort = port.port;
      }
    }
    const isOutside = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
    if (isOutside || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0)) {
      spec.externalTrafficPolicy ??= 'Cluster';
    }
    if (isOutside || spec.type === 'ClusterIP') {
      spec.internalTrafficPolicy ??= 'Cluster';
    }
    if (spec.type === 'LoadBalancer') {
      spec.allocateLoadBalancerNodePorts ??= true;
    }
  },
  prepareForCreate(service: Service, { storage }) {
    allocate(service.spec, storage);
    refuseTakenPorts(service, storage);
  },
  prepareForUpdate(service: Service, old: Service, { storage }) {
    keepAllocated(service.spec, old.spec);
    refuseSecondFamily(service);
    allocate(service.spec, storage);
    refuseTakenPorts(service, storage);
  },
  refusals({ spec }: Service, old) {
    const { ports = [], type, externalName = '', clusterIP = '' } = spec;
    const errors: FieldError[] = [];
    if (type === 'ExternalName') {
      if (externalName === '') {
        errors.push(required('spec.externalName'));
      } else {
        errors.push(
          ...dnsSubdomain(externalName.replace(/\.$/, ''), false).map((problem) =>
            invalid('spec.externalName', externalName, problem),
          ),
        );
      }
    } else if (ports.length === 0 && clusterIP !== 'None') {
      errors.push(required('spec.ports'));
    }
    const names = new Set<string>();
    for (const [index, port] of ports.entries()) {
      const at = `spec.ports[${index}]`;
      const { name = '' } = port;
      if (name === '' && ports.length > 1) {
        errors.push(required(`${at}.name`));
      } else if (name !== '' && names.has(name)) {
        errors.push({
          field: `${at}.name`,
          reason: 'FieldValueDuplicate',
          message: `Duplicate value: ${JSON.stringify(name)}`,
        });
      }
      names.add(name);
      errors.push(...validatePort(port.port, `${at}.port`));
      errors.push(...validateNodePort(port.nodePort ?? 0, `${at}.nodePort`));
      if (typeof port.targetPort === 'number') {
        errors.push(...validatePort(port.targetPort, `${at}.targetPort`));
      }
    }
    return [...errors, ...validateAddressChange(spec, (old as Service | undefined)?.spec)];
  },
  statusRefusals: ({ spec, status }: Service) =>
    spec.type !== 'LoadBalancer' && (status.loadBalancer?.ingress ?? []).length > 0
      ? [forbiddenField('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")]
      : [],
  warnings: ({ spec }: Service) =>
    spec.clusterIP === 'None' && spec.sessionAffinity === 'ClientIP'
      ? ['spec.SessionAffinity is ignored for headless services']
      : [],
  shown: [
    text<Service>('Type', 'How it is exposed', ({ spec }) => spec.type ?? ''),
    text<Service>('Cluster-IP', 'Its address in the cluster', ({ spec }) => spec.clusterIPs?.[0] ?? '<none>'),
    text<Service>('External-IP', 'Its addresses outside', externalAddress),
    text<Service>('Port(s)', 'Where it listens', ({ spec }) => printPorts(spec.ports ?? [])),
    age,
    text<Service>('Selector', 'Which pods it leads to', ({ spec }) => printLabels(spec.selector), 1),
  ],
});

const addressPrefix = '10.0.0.';
const nodePorts = { first: 30_000, count: 2768 };

/** What kube-apiserver finds for a service: its address, of 10.0.0.0/24, its IP families, ports of nodes. */
function allocate(spec: Service['spec'], storage: Storage): void {
  if (spec.type === 'ExternalName') {
    return;
  }
  const others = storage.list('services').map(({ object }) => (object as Service).spec);
  if ((spec.clusterIP ?? '') === '') {
    spec.clusterIP = spec.clusterIPs?.[0] ?? freeAddress(others);
  }
  spec.clusterIPs ??= [spec.clusterIP ?? ''];
  const isForBoth = spec.clusterIP === 'None' && spec.selector === undefined;
  spec.ipFamilyPolicy ??= isForBoth ? 'RequireDualStack' : 'SingleStack';
  spec.ipFamilies ??= isForBoth ? ['IPv4', 'IPv6'] : ['IPv4'];
  const isOnNodes =
    spec.type === 'NodePort' ||
    (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
  const used = new Set(others.flatMap(({ ports = [] }) => ports.map(({ nodePort = 0 }) => nodePort)));
  for (const port of isOnNodes ? (spec.ports ?? []) : []) {
    port.nodePort ??= freeNodePort(used);
    used.add(port.nodePort);
  }
}

function validateNodePort(port: number, at: string): FieldError[] {
  const { first, count } = nodePorts;
  return port === 0 || (port >= first && port < first + count)
    ? []
    : [
        invalid(
          at,
          port,
          `provided port is not in the valid range. The range of valid ports is ${first}-${first + count - 1}`,
        ),
      ];
}

/** Throws 422 for a port of nodes that another service has. */
function refuseTakenPorts({ metadata, spec }: Service, storage: Storage): void {
  const taken = new Set(
    storage
      .list('services')
      .map(({ object }) => object as Service)
      .filter(
        (other) => other.metadata.name !== metadata.name || other.metadata.namespace !== metadata.namespace,
      )
      .flatMap((other) => (other.spec.ports ?? []).map(({ nodePort = 0 }) => nodePort)),
  );
  const errors = (spec.ports ?? []).flatMap(({ nodePort = 0 }, index) =>
    nodePort !== 0 && taken.has(nodePort)
      ? [invalid(`spec.ports[${index}].nodePort`, nodePort, 'provided port is already allocated')]
      : [],
  );
  if (errors.length > 0) {
    throw invalidObject({ group: '', name: 'Service' }, metadata.name ?? '', errors);
  }
}

/** A headless service without a selector may be of families that the cluster does not have: once it selects pods, it may not. */
function refuseSecondFamily({ metadata, spec }: Service): void {
  const { clusterIP, selector = {}, ipFamilies = [], ipFamilyPolicy } = spec;
  if (clusterIP !== 'None' || Object.keys(selector).length === 0) {
    return;
  }
  const errors = ipFamilies.flatMap((family, index) =>
    family === 'IPv6' ? [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')] : [],
  );
  if (ipFamilyPolicy === 'RequireDualStack') {
    const problem = 'this cluster is not configured for dual-stack services';
    errors.push(invalid('spec.ipFamilyPolicy', ipFamilyPolicy, problem));
  }
  if (errors.length > 0) {
    throw invalidObject({ group: '', name: 'Service' }, metadata.name ?? '', errors);
  }
}

function freeAddress(others: readonly Service['spec'][]): string {
  const used = new Set(others.flatMap(({ clusterIPs = [] }) => clusterIPs));
  // The first is the API server's own.
  for (let last = 2; last < 255; last++) {
    const address = `${addressPrefix}${last}`;
    if (!used.has(address)) {
      return address;
    }
  }
  throw new Error(`no address is left in ${addressPrefix}0/24: delete services, or give one as clusterIP`);
}

function freeNodePort(used: ReadonlySet<number>): number {
  for (let port = nodePorts.first; port < nodePorts.first + nodePorts.count; port++) {
    if (!used.has(port)) {
      return port;
    }
  }
  throw new Error('no port of nodes is left: delete services of type NodePort or LoadBalancer');
}

/** A client that does not say what was found for it means to keep it. */
function keepAllocated(spec: Service['spec'], old: Service['spec']): void {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') {
    return;
  }
  if ((spec.clusterIP ?? '') === '' && old.clusterIP !== undefined) {
    spec.clusterIP = old.clusterIP;
  }
  if (spec.clusterIP === old.clusterIP) {
    for (const field of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
      spec[field] ??= old[field] as never;
    }
  } else if (spec.clusterIPs?.[0] === old.clusterIP) {
    spec.clusterIPs = [spec.clusterIP ?? ''];
  }
  for (const port of spec.ports ?? []) {
    const before = old.ports?.find(
      (other) => other.port === port.port && other.protocol === port.protocol,
    )?.nodePort;
    if (before !== undefined && spec.type !== 'ClusterIP') {
      port.nodePort ??= before;
    }
  }
}

function validateAddressChange(spec: Service['spec'], old: Service['spec'] | undefined): FieldError[] {
  const { clusterIPs = [], clusterIP = '' } = spec;
  if (old === undefined || spec.type === 'ExternalName' || old.type === 'ExternalName') {
    return clusterIP === '' || clusterIP === 'None' ? [] : validateAddress(clusterIP, 'spec.clusterIPs[0]');
  }
  return clusterIPs[0] === old.clusterIPs?.[0]
    ? []
    : [invalid('spec.clusterIPs[0]', [...clusterIPs], 'may not change once set')];
}

function externalAddress({ spec, status }: Service): string {
  const given = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ExternalName':
      return spec.externalName ?? '';
    case 'LoadBalancer': {
      const found = (status.loadBalancer?.ingress ?? []).map(({ ip, hostname = '' }) => ip ?? hostname);
      const all = [...found, ...given];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    default:
      return given.length === 0 ? '<none>' : given.join(',');
  }
}

function printPorts(ports: readonly ServicePort[]): string {
  const printed = ports.map(({ port, nodePort = 0, protocol = 'TCP' }) =>
    nodePort === 0 ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`,
  );
  return printed.length === 0 ? '<none>' : printed.join(',');
}

interface EndpointPort extends JsonObject {
  name?: string;
  port: number;
  protocol?: string;
}

interface EndpointSubset extends JsonObject {
  addresses?: { ip: string }[];
  notReadyAddresses?: { ip: string }[];
  ports?: EndpointPort[];
}

interface Endpoints extends KubeObject {
  subsets?: EndpointSubset[];
}

const mostShown = 3;

function shownOf(parts: readonly string[], whenNone: string): string {
  if (parts.length === 0) {
    return whenNone;
  }
  const rest = parts.length - mostShown;
  return `${parts.slice(0, mostShown).join(',')}${rest > 0 ? ` + ${rest} more...` : ''}`;
}

export const endpoints = describedResource({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  listKind: 'EndpointsList',
  shortNames: ['ep'],
  namespaced: true,
  struct: 'core.v1.Endpoints',
  storageVersionHash: 'fWeeMqaN/OA=',
  allowCreateOnUpdate: true,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  applyDefaults({ subsets = [] }: Endpoints) {
    for (const { ports = [] } of subsets) {
      for (const port of ports) {
        port.protocol ??= 'TCP';
      }
    }
  },
  refusals: ({ subsets = [] }: Endpoints) =>
    subsets.flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`)),
  shown: [
    text<Endpoints>('Endpoints', 'Where they lead', ({ subsets = [] }) =>
      shownOf(
        subsets.flatMap(({ addresses = [], ports = [] }) =>
          ports.length === 0
            ? addresses.map(({ ip }) => ip)
            : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip}:${port}`)),
        ),
        '<none>',
      ),
    ),
    age,
  ],
});

function validateSubset(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
  }
  for (const [list, items] of Object.entries({ addresses, notReadyAddresses })) {
    for (const [index, { ip }] of items.entries()) {
      const at = `${path}.${list}[${index}].ip`;
      const problems = validateAddress(ip, at);
      // The real server asks twice: whether it is an address, and whether endpoints may have it.
      errors.push(...problems, ...problems.map(() => invalid(at, ip, 'must be a valid IP address')));
    }
  }
  for (const [index, { name = '', port }] of ports.entries()) {
    if (name === '' && ports.length > 1) {
      errors.push(required(`${path}.ports[${index}].name`));
    }
    errors.push(...validatePort(port, `${path}.ports[${index}].port`));
  }
  return errors;
}

interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints: { addresses: string[] | null }[] | null;
  ports: { name?: string; port?: number; protocol?: string }[] | null;
}

const mostEndpoints = 1000;

export const endpointSlices = describedResource({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
  struct: 'discovery.v1.EndpointSlice',
  storageVersionHash: 'qgS0xkrxYAI=',
  hasGeneration: true,
  countsLabels: true,
  applyDefaults({ ports }: EndpointSlice) {
    for (const port of ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  immutable: ['addressType'],
  refusals({ addressType, endpoints: given }: EndpointSlice) {
    const errors: FieldError[] = [];
    if ((given ?? []).length > mostEndpoints) {
      errors.push({
        field: 'endpoints',
        reason: 'FieldValueTooMany',
        message: `Too many: ${given?.length ?? 0}: must have at most ${mostEndpoints} items`,
      });
    }
    for (const [index, { addresses }] of (given ?? []).entries()) {
      const at = `endpoints[${index}].addresses`;
      if (addresses === null || addresses.length === 0) {
        errors.push(required(at, 'must contain at least 1 address'));
      }
      for (const [position, address] of (addresses ?? []).entries()) {
        const isRight = addressType === 'FQDN' || validateAddress(address, at).length === 0;
        if (!isRight) {
          errors.push(invalid(`${at}[${position}]`, address, addressProblem));
        }
      }
    }
    return errors;
  },
  shown: [
    text<EndpointSlice>('AddressType', 'What its addresses are', ({ addressType }) => addressType),
    text<EndpointSlice>('Ports', 'Where they listen', ({ ports }) =>
      shownOf(
        (ports ?? []).map(({ port, name = '' }) => (port === undefined ? name || '*' : String(port))),
        '<unset>',
      ),
    ),
    text<EndpointSlice>('Endpoints', 'The addresses', ({ endpoints: given }) =>
      shownOf(
        (given ?? []).flatMap(({ addresses }) => addresses ?? []),
        '<unset>',
      ),
    ),
    age,
  ],
});
