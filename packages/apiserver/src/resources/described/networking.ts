import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject, LabelSelector } from '../../meta/kube-object.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { formatSelector } from '../../selectors/label-selector.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import { goValue } from '../go-diff.ts';
import type { ResourceDefinition } from '../resource-definition.ts';
import { addressProblem, validateAddress, validateNetwork } from '../addresses.ts';
import { validatePort } from '../numbers.ts';
import { portNameProblems } from '../pod-validation/ports.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

/* networking.k8s.io/v1. The objects are kept; no traffic goes by them. */

interface IngressBackend extends JsonObject {
  service?: { name: string; port: { name?: string; number?: number } };
  resource?: JsonObject;
}

interface IngressPath extends JsonObject {
  path?: string;
  pathType: string | null;
  backend: IngressBackend;
}

interface Ingress extends KubeObject {
  spec: {
    ingressClassName?: string;
    defaultBackend?: IngressBackend;
    tls?: JsonObject[];
    rules?: { host?: string; http?: { paths: IngressPath[] | null } }[];
  };
  status: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

export const ingresses = describedResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  shortNames: ['ing'],
  namespaced: true,
  struct: 'networking.v1.Ingress',
  storageVersionHash: '39NQlfNR+bo=',
  hasGeneration: true,
  hasStatus: true,
  judgedHere: ['networking.v1.IngressSpec'],
  refusals({ spec }: Ingress) {
    const { rules = [], defaultBackend } = spec;
    const errors: FieldError[] = [];
    if (rules.length === 0 && defaultBackend === undefined) {
      errors.push(invalid('spec', null, 'either `defaultBackend` or `rules` must be specified'));
    }
    for (const [index, { host = '', http }] of rules.entries()) {
      const at = `spec.rules[${index}]`;
      if (host !== '') {
        const problems = dnsSubdomain(host.replace(/^\*\./, ''), false);
        errors.push(...problems.map((problem) => invalid(`${at}.host`, host, problem)));
      }
      if (http !== undefined && (http.paths ?? []).length === 0) {
        errors.push(required(`${at}.http.paths`));
      }
      for (const [position, path] of (http?.paths ?? []).entries()) {
        errors.push(...validatePath(path, `${at}.http.paths[${position}]`));
      }
    }
    return defaultBackend === undefined
      ? errors
      : [...errors, ...validateBackend(defaultBackend, 'spec.defaultBackend')];
  },
  shown: [
    text<Ingress>('Class', 'Who serves it', ({ spec }) => spec.ingressClassName ?? '<none>'),
    text<Ingress>('Hosts', 'What it is asked for', ({ spec: { rules = [] } }) => printHosts(rules)),
    text<Ingress>('Address', 'Where it is served', ({ status }) =>
      (status.loadBalancer?.ingress ?? []).map(({ ip, hostname = '' }) => ip ?? hostname).join(','),
    ),
    text<Ingress>('Ports', 'The ports there', ({ spec: { tls = [] } }) =>
      tls.length === 0 ? '80' : '80, 443',
    ),
    age,
  ],
});

const mostHosts = 3;

function printHosts(rules: readonly { host?: string }[]): string {
  const hosts = rules.map(({ host = '' }) => host).filter((host) => host !== '');
  const rest = hosts.length - mostHosts;
  return hosts.length === 0
    ? '*'
    : `${hosts.slice(0, mostHosts).join(',')}${rest > 0 ? ` + ${rest} more...` : ''}`;
}

function validatePath({ path = '', pathType, backend }: IngressPath, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (pathType === null || pathType === '') {
    errors.push(required(`${at}.pathType`, 'pathType must be specified'));
  } else if (!pathTypes.includes(pathType)) {
    errors.push(notSupported(`${at}.pathType`, pathType, pathTypes));
  } else if (!path.startsWith('/') && (pathType !== 'ImplementationSpecific' || path !== '')) {
    errors.push(invalid(`${at}.path`, path, 'must be an absolute path'));
  }
  return [...errors, ...validateBackend(backend, `${at}.backend`)];
}

function validateBackend({ service, resource }: IngressBackend, at: string): FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [invalid(at, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) {
    return [];
  }
  if (service === undefined) {
    return [invalid(at, '', 'resource or service backend is required')];
  }
  const { name, port } = service;
  return [
    ...(name === '' ? [required(`${at}.service.name`)] : []),
    ...((port.name ?? '') === '' && (port.number ?? 0) === 0
      ? [required(at, 'port name or number is required')]
      : []),
  ];
}

interface IngressClass extends KubeObject {
  spec: {
    controller?: string;
    parameters?: { apiGroup?: string; kind: string; name: string; scope?: string; namespace?: string };
  };
}

export const ingressClasses = describedResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  struct: 'networking.v1.IngressClass',
  storageVersionHash: 'l/iqIbDgFyQ=',
  hasGeneration: true,
  applyDefaults({ spec: { parameters } }: IngressClass) {
    if (parameters !== undefined) {
      parameters.scope ??= 'Cluster';
    }
  },
  immutable: ['spec.controller'],
  refusals({ spec: { controller = '', parameters } }: IngressClass) {
    return [
      ...(controller === '' ? [required('spec.controller')] : []),
      ...(parameters?.scope === 'Namespace' && (parameters.namespace ?? '') === ''
        ? [required('spec.parameters.namespace', "`parameters.scope` is set to 'Namespace'")]
        : []),
    ];
  },
  shown: [
    text<IngressClass>('Controller', 'Who serves its ingresses', ({ spec }) => spec.controller ?? ''),
    text<IngressClass>('Parameters', 'What it is told', ({ spec: { parameters } }) =>
      parameters === undefined
        ? '<none>'
        : `${parameters.kind}${parameters.apiGroup === undefined ? '' : `.${parameters.apiGroup}`}/${parameters.name}`,
    ),
    age,
  ],
});

interface Peer extends JsonObject {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string };
}

interface PolicyPort extends JsonObject {
  protocol?: string;
  port?: number | string;
  endPort?: number;
}

interface PolicyRule extends JsonObject {
  from?: Peer[];
  to?: Peer[];
  ports?: PolicyPort[];
}

interface NetworkPolicy extends KubeObject {
  spec: {
    podSelector: LabelSelector;
    ingress?: PolicyRule[];
    egress?: PolicyRule[];
    policyTypes?: string[];
  };
}

const policyTypes = ['Ingress', 'Egress'];

export const networkPolicies = describedResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  listKind: 'NetworkPolicyList',
  shortNames: ['netpol'],
  namespaced: true,
  struct: 'networking.v1.NetworkPolicy',
  storageVersionHash: 'YpfwF18m1G8=',
  hasGeneration: true,
  applyDefaults({ spec }: NetworkPolicy) {
    const { ingress = [], egress = [] } = spec;
    for (const { ports = [] } of [...ingress, ...egress]) {
      for (const port of ports) {
        port.protocol ??= 'TCP';
      }
    }
    spec.policyTypes ??= egress.length === 0 ? ['Ingress'] : ['Ingress', 'Egress'];
  },
  refusals({ spec }: NetworkPolicy) {
    const { podSelector, ingress = [], egress = [], policyTypes: given = [] } = spec;
    return [
      ...validateLabelSelector(podSelector, 'spec.podSelector'),
      ...ingress.flatMap(({ from = [] }, index) => validatePeers(from, `spec.ingress[${index}].from`)),
      ...egress.flatMap(({ to = [] }, index) => validatePeers(to, `spec.egress[${index}].to`)),
      ...Object.entries({ ingress, egress }).flatMap(([direction, rules]) =>
        rules.flatMap(({ ports = [] }, index) => validatePorts(ports, `spec.${direction}[${index}].ports`)),
      ),
      ...given.flatMap((type, index) =>
        policyTypes.includes(type) ? [] : [notSupported(`spec.policyTypes[${index}]`, type, policyTypes)],
      ),
    ];
  },
  shown: [
    text<NetworkPolicy>(
      'Pod-Selector',
      'Which pods it is for',
      ({ spec }) => formatSelector(spec.podSelector) || '<none>',
    ),
    age,
  ],
});

function validatePorts(ports: readonly PolicyPort[], path: string): FieldError[] {
  return ports.flatMap(({ port, endPort }, index) => {
    const at = `${path}[${index}]`;
    if (typeof port === 'number') {
      return [
        ...validatePort(port, `${at}.port`),
        ...(endPort === undefined ? [] : validateEnd(port, endPort, `${at}.endPort`)),
      ];
    }
    const problem =
      port === undefined
        ? 'may not be specified when `port` is not specified'
        : 'may not be specified when `port` is non-numeric';
    return [
      ...(endPort === undefined ? [] : [invalid(`${at}.endPort`, endPort, problem)]),
      ...(port === undefined ? [] : portNameProblems(port).map((each) => invalid(`${at}.port`, port, each))),
    ];
  });
}

function validateEnd(port: number, endPort: number, path: string): FieldError[] {
  return endPort < port
    ? [invalid(path, endPort, 'must be greater than or equal to `port`')]
    : validatePort(endPort, path);
}

function validatePeers(peers: readonly Peer[], path: string): FieldError[] {
  return peers.flatMap((peer, index) => {
    const at = `${path}[${index}]`;
    const { podSelector, namespaceSelector, ipBlock } = peer;
    if (podSelector === undefined && namespaceSelector === undefined && ipBlock === undefined) {
      return [required(at, 'must specify a peer')];
    }
    return [
      ...validateLabelSelector(podSelector, `${at}.podSelector`),
      ...validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`),
      ...(ipBlock === undefined ? [] : validateNetwork(ipBlock.cidr, `${at}.ipBlock.cidr`)),
    ];
  });
}

interface IpAddress extends KubeObject {
  spec: { parentRef?: { group?: string; resource?: string; namespace?: string; name?: string } };
}

const addresses = describedResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  shortNames: ['ip'],
  namespaced: false,
  struct: 'networking.v1.IPAddress',
  nameRule: (name, isPrefix) => (isPrefix || validateAddress(name, '').length === 0 ? [] : [addressProblem]),
  storageVersionHash: '3f/plJFChNE=',
  refusals({ spec: { parentRef } }: IpAddress, old) {
    const before = (old as IpAddress | undefined)?.spec.parentRef;
    const struct = 'networking.v1.ParentReference';
    return old === undefined || parentRef === undefined || before === undefined
      ? []
      : validateImmutable(goValue(parentRef, struct), goValue(before, struct), 'spec.parentRef');
  },
  shown: [
    text<IpAddress>('ParentRef', 'Whose address it is', ({ spec: { parentRef = {} } }) =>
      [parentRef.group, parentRef.resource, parentRef.namespace, parentRef.name]
        .filter((part) => part !== undefined && part !== '')
        .join('/'),
    ),
    age,
  ],
});

/** Its rows have an age, which no column is for. */
export const ipAddresses: ResourceDefinition = { ...addresses, columns: addresses.columns.slice(0, -1) };

interface ServiceCidr extends KubeObject {
  spec: { cidrs?: string[] };
}

export const serviceCidrs = describedResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  struct: 'networking.v1.ServiceCIDR',
  storageVersionHash: 'gNLvruQhW2g=',
  hasStatus: true,
  refusals({ spec: { cidrs = [] } }: ServiceCidr, old) {
    if (cidrs.length === 0) {
      return [required('spec.cidrs', 'at least one CIDR required')];
    }
    const before = (old as ServiceCidr | undefined)?.spec.cidrs;
    return cidrs.flatMap((cidr, index) => [
      ...validateNetwork(cidr, `spec.cidrs[${index}]`),
      ...(before === undefined ? [] : validateImmutable(cidr, before[index], `spec.cidrs[${index}]`)),
    ]);
  },
  shown: [text<ServiceCidr>('CIDRs', 'The networks', ({ spec: { cidrs = [] } }) => cidrs.join(',')), age],
});
