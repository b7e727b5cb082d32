import { type FieldError, forbiddenField, invalid, invalidObject, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../../meta/names.ts';
import { addressProblem, validateAddress } from '../addresses.ts';
import { validatePort } from '../numbers.ts';
import type { WriteContext } from '../resource-definition.ts';
import { describedResource } from './described-resource.ts';
import {
  allocateAddress,
  completeFamilies,
  dropAddresses,
  keepAddresses,
  validateAddressChange,
  validateAddressFields,
} from './service-addresses.ts';
import { allocateNodePorts, dropNodePorts, keepNodePorts } from './service-ports.ts';
import {
  type Service,
  type ServicePort,
  type ServiceSpec,
  isHeadless,
  isOnNodes,
  isReachableFromOutside,
  needsHealthCheck,
} from './service-spec.ts';
import { serviceWarnings } from './service-warnings.ts';
import { age, printLabels, text } from './shown.ts';

/* Services and where they lead: core/v1 and discovery.k8s.io/v1. Nothing routes to them here. */

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
    if (isReachableFromOutside(spec)) {
      spec.externalTrafficPolicy ??= 'Cluster';
    }
    if (isOnNodes(spec) || spec.type === 'ClusterIP') {
      spec.internalTrafficPolicy ??= 'Cluster';
    }
    if (spec.type === 'LoadBalancer') {
      spec.allocateLoadBalancerNodePorts ??= true;
    }
  },
  prepareForCreate(service: Service, context) {
    allocate(service, undefined, context);
  },
  prepareForUpdate(service: Service, old: Service, context) {
    keepNodePorts(service.spec, old.spec);
    allocate(service, old, context);
    dropAddresses(service.spec, old.spec);
    dropNodePorts(service.spec, old.spec);
    dropOfBalancers(service, old);
  },
  hide({ spec }: Service) {
    // It had a default of all services once.
    if (spec.type === 'ExternalName') {
      delete spec.internalTrafficPolicy;
    }
  },
  refusals({ spec }: Service, old) {
    const { ports = [], type } = spec;
    const errors: FieldError[] = [];
    if (type === 'ExternalName') {
      errors.push(...validateExternalName(spec));
    } else if (ports.length === 0 && !isHeadless(spec)) {
      errors.push(required('spec.ports'));
    }
    if (isOnNodes(spec) && isHeadless(spec)) {
      errors.push(
        invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type ?? ''} services`),
      );
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
      if (type === 'ClusterIP' && (port.nodePort ?? 0) !== 0) {
        errors.push(forbiddenField(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
      }
      if (typeof port.targetPort === 'number') {
        errors.push(...validatePort(port.targetPort, `${at}.targetPort`));
      }
    }
    return [
      ...errors,
      ...validateAddressFields(spec),
      ...validateTraffic(spec),
      ...(old === undefined ? [] : validateAddressChange(spec, (old as Service).spec)),
    ];
  },
  statusRefusals: ({ spec, status }: Service) =>
    spec.type !== 'LoadBalancer' && (status.loadBalancer?.ingress ?? []).length > 0
      ? [forbiddenField('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")]
      : [],
  warnings: ({ spec }: Service) => serviceWarnings(spec),
  shown: [
    text<Service>('Type', 'How it is exposed', ({ spec }) => spec.type ?? ''),
    text<Service>('Cluster-IP', 'Its address in the cluster', ({ spec }) => spec.clusterIPs?.[0] ?? '<none>'),
    text<Service>('External-IP', 'Its addresses outside', externalAddress),
    text<Service>('Port(s)', 'Where it listens', ({ spec }) => printPorts(spec.ports ?? [])),
    age,
    text<Service>('Selector', 'Which pods it leads to', ({ spec }) => printLabels(spec.selector), 1),
  ],
});

/** Throws 422 when the service cannot have what it asks for. */
function allocate(service: Service, old: Service | undefined, { storage, isDryRun }: WriteContext): void {
  const { metadata, spec } = service;
  keepAddresses(spec, old?.spec);
  const all = storage.list('services').map(({ object }) => object as Service);
  const others = all.filter(
    (other) => other.metadata.name !== metadata.name || other.metadata.namespace !== metadata.namespace,
  );
  const specsOf = (list: readonly Service[]): readonly ServiceSpec[] => list.map((each) => each.spec);
  const refuse = (errors: readonly FieldError[]): void => {
    if (errors.length > 0) {
      throw invalidObject({ group: '', name: 'Service' }, metadata.name ?? '', errors);
    }
  };
  refuse(completeFamilies(spec, old?.spec));
  // Who creates what is there already is not told so before its address is found.
  refuse(allocateAddress(service, old?.spec, specsOf(old === undefined ? all : others), isDryRun));
  refuse(allocateNodePorts(spec, old?.spec, specsOf(others), isDryRun));
}

/** What only load balancers have goes with them, unless the client has changed it as well, to be refused. */
function dropOfBalancers({ spec, status }: Service, old: Service): void {
  if (spec.type !== 'LoadBalancer') {
    if (old.spec.type === 'LoadBalancer') {
      for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
        if (spec[field] === old.spec[field]) {
          Reflect.deleteProperty(spec, field);
        }
      }
    }
    status.loadBalancer = {};
  }
  if (
    isReachableFromOutside(old.spec) &&
    !isReachableFromOutside(spec) &&
    spec.externalTrafficPolicy === old.spec.externalTrafficPolicy
  ) {
    delete spec.externalTrafficPolicy;
  }
}

function validateExternalName({
  externalName = '',
  clusterIPs = [],
  ipFamilies = [],
  ipFamilyPolicy,
}: ServiceSpec): FieldError[] {
  const given = {
    clusterIPs: clusterIPs.length > 0,
    ipFamilies: ipFamilies.length > 0,
    ipFamilyPolicy: ipFamilyPolicy !== undefined,
  };
  const name = externalName.replace(/\.$/, '');
  return [
    ...Object.entries(given).flatMap(([field, isGiven]) =>
      isGiven ? [forbiddenField(`spec.${field}`, 'may not be set for ExternalName services')] : [],
    ),
    ...(name === ''
      ? [required('spec.externalName')]
      : dnsSubdomain(name, false).map((problem) => invalid('spec.externalName', name, problem))),
  ];
}

function validateTraffic(spec: ServiceSpec): FieldError[] {
  const { type, externalTrafficPolicy = '', healthCheckNodePort = 0 } = spec;
  const onlyOfBalancers = ['allocateLoadBalancerNodePorts', 'loadBalancerClass'].flatMap((field) =>
    type === 'LoadBalancer' || spec[field] === undefined
      ? []
      : [forbiddenField(`spec.${field}`, "may only be used when `type` is 'LoadBalancer'")],
  );
  return [
    ...onlyOfBalancers,
    ...(externalTrafficPolicy === '' || isReachableFromOutside(spec)
      ? []
      : [
          invalid(
            'spec.externalTrafficPolicy',
            externalTrafficPolicy,
            'may only be set for externally-accessible services',
          ),
        ]),
    ...(healthCheckNodePort === 0 || needsHealthCheck(spec)
      ? []
      : [
          invalid(
            'spec.healthCheckNodePort',
            healthCheckNodePort,
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
          ),
        ]),
  ];
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
  warnings: ({ addressType }: EndpointSlice, old) =>
    addressType === 'FQDN' && old === undefined ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
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
