import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject, ObjectMeta } from '../../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain, pathSegment, wildcardSubdomain } from '../../meta/names.ts';
import { isAddress, validateAddress } from '../addresses.ts';
import { addressWarnings } from '../ip-warnings.ts';
import { validatePort } from '../numbers.ts';
import { portNameProblems } from '../pod-validation/ports.ts';
import { describedResource } from './described-resource.ts';
import { validateBalancerName } from './service-validation.ts';
import { age, text } from './shown.ts';

interface IngressBackend extends JsonObject {
  service?: { name: string; port: { name?: string; number?: number } };
  resource?: { apiGroup: string | null; kind: string; name: string };
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
    tls?: { hosts?: string[]; secretName?: string }[];
    rules?: { host?: string; http?: { paths: IngressPath[] | null } }[];
  };
  status: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

const classAnnotation = 'kubernetes.io/ingress.class';

/** networking.k8s.io/v1. Nothing routes traffic by them. */
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
  refusals: ({ metadata, spec }: Ingress, old) => [
    ...validateSpec(spec),
    ...(old === undefined ? validateClassAnnotation(metadata.annotations, spec.ingressClassName) : []),
  ],
  statusRefusals: ({ status }: Ingress) =>
    (status.loadBalancer?.ingress ?? []).flatMap(({ ip = '', hostname = '' }, index) => {
      const at = `status.loadBalancer.ingress[${index}]`;
      return [
        ...(ip === '' ? [] : validateAddress(ip, `${at}.ip`)),
        ...validateBalancerName(hostname, `${at}.hostname`),
      ];
    }),
  statusWarnings: ({ status }: Ingress) =>
    (status.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }, index) =>
      addressWarnings(ip, `status.loadBalancer.ingress[${index}]`),
    ),
  warnings: ({ metadata, spec }: Ingress, old) =>
    old === undefined &&
    metadata.annotations?.[classAnnotation] !== undefined &&
    spec.ingressClassName === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
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

function validateClassAnnotation(
  annotations: ObjectMeta['annotations'],
  className: string | undefined,
): FieldError[] {
  const annotated = annotations?.[classAnnotation];
  return annotated === undefined || className === undefined || annotated === className
    ? []
    : [
        invalid(
          `annotations.${classAnnotation}`,
          annotated,
          'must match `ingressClassName` when both are specified',
        ),
      ];
}

function validateSpec({
  rules = [],
  defaultBackend,
  tls = [],
  ingressClassName,
}: Ingress['spec']): FieldError[] {
  return [
    ...(rules.length === 0 && defaultBackend === undefined
      ? [invalid('spec', null, 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, 'spec.defaultBackend')),
    ...rules.flatMap(({ host = '', http }, index) => {
      const at = `spec.rules[${index}]`;
      return [
        ...(isAddress(host) ? [invalid(`${at}.host`, host, 'must be a DNS name, not an IP address')] : []),
        ...(host === '' ? [] : validateHost(host, `${at}.host`)),
        ...(http !== undefined && (http.paths ?? []).length === 0 ? [required(`${at}.http.paths`)] : []),
        ...(http?.paths ?? []).flatMap((path, position) =>
          validatePath(path, `${at}.http.paths[${position}]`),
        ),
      ];
    }),
    ...tls.flatMap(({ hosts = [], secretName = '' }, index) => [
      ...hosts.flatMap((host, position) => validateHost(host, `spec.tls[${index}].hosts[${position}]`)),
      ...(secretName === '' ? [] : validateName(secretName, `spec.tls[${index}].secretName`)),
    ]),
    ...(ingressClassName === undefined ? [] : validateName(ingressClassName, 'spec.ingressClassName')),
  ];
}

function validateName(name: string, path: string): FieldError[] {
  return dnsSubdomain(name, false).map((problem) => invalid(path, name, problem));
}

function validateHost(host: string, path: string): FieldError[] {
  return host.includes('*')
    ? wildcardSubdomain(host).map((problem) => invalid(path, host, problem))
    : validateName(host, path);
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const wrongParts = ['//', '/./', '/../', '%2f', '%2F'];
const wrongEnds = ['/..', '/.'];

function validatePath({ path = '', pathType, backend }: IngressPath, at: string): FieldError[] {
  if (pathType === null) {
    return [required(`${at}.pathType`, 'pathType must be specified')];
  }
  return [...validateText(path, pathType, at), ...validateBackend(backend, `${at}.backend`)];
}

function validateText(path: string, pathType: string, at: string): FieldError[] {
  const refuse = (problem: string): FieldError => invalid(`${at}.path`, path, problem);
  const relative = path.startsWith('/') ? [] : [refuse('must be an absolute path')];
  switch (pathType) {
    case 'Exact':
    case 'Prefix':
      return [
        ...relative,
        ...wrongParts
          .filter((part) => path.includes(part))
          .map((part) => refuse(`must not contain '${part}'`)),
        ...wrongEnds.filter((end) => path.endsWith(end)).map((end) => refuse(`cannot end with '${end}'`)),
      ];
    case 'ImplementationSpecific':
      return path === '' ? [] : relative;
    default:
      return [notSupported(`${at}.pathType`, pathType, pathTypes)];
  }
}

function validateBackend({ service, resource }: IngressBackend, at: string): FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [invalid(at, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) {
    return validateReference(resource, `${at}.resource`);
  }
  if (service === undefined) {
    return [invalid(at, '', 'resource or service backend is required')];
  }
  const { name, port } = service;
  return [
    ...(name === ''
      ? [required(`${at}.service.name`)]
      : dnsLabel(name, false).map((problem) => invalid(`${at}.service.name`, name, problem))),
    ...validateServicePort(port, at),
  ];
}

function validateServicePort(
  { name = '', number = 0 }: { readonly name?: string; readonly number?: number },
  at: string,
): FieldError[] {
  if (name !== '' && number !== 0) {
    return [invalid(at, '', 'cannot set both port name & port number')];
  }
  if (name !== '') {
    return portNameProblems(name).map((problem) => invalid(`${at}.service.port.name`, name, problem));
  }
  return number === 0
    ? [required(at, 'port name or number is required')]
    : validatePort(number, `${at}.service.port.number`);
}

/** Validates a reference to an object of another kind. */
export function validateReference(
  reference: { readonly apiGroup?: string | null; readonly kind: string; readonly name: string },
  path: string,
): FieldError[] {
  const { apiGroup } = reference;
  return [
    ...(apiGroup === undefined || apiGroup === null ? [] : validateName(apiGroup, `${path}.apiGroup`)),
    ...(['kind', 'name'] as const).flatMap((field) => {
      const value = reference[field];
      return value === ''
        ? [required(`${path}.${field}`)]
        : pathSegment(value, false).map((problem) => invalid(`${path}.${field}`, value, problem));
    }),
  ];
}
