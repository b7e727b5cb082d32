import { append } from '../../meta/append.ts';
import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../meta/field-error.ts';
import { dnsLabel, dnsSubdomain, qualifiedNameProblems } from '../../meta/names.ts';
import { validateLabels } from '../../meta/object-meta.ts';
import { isAddress, validateAddress, validateEndpointAddress, validateNetwork } from '../addresses.ts';
import { validatePort } from '../numbers.ts';
import { portNameProblems } from '../pod-validation/ports.ts';
import { repeatedIn } from '../repeated-values.ts';
import { validateAddressChange, validateAddressFields } from './service-addresses.ts';
import {
  type LoadBalancerIngress,
  type Service,
  type ServicePort,
  type ServiceSpec,
  isHeadless,
  isOnNodes,
  isReachableFromOutside,
  needsHealthCheck,
} from './service-spec.ts';

/*
 * Validates a service after addresses and ports have been allocated (ValidateServiceCreate and
 * ValidateServiceUpdate).
 */

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const affinities = ['ClientIP', 'None'];
export const protocols = ['SCTP', 'TCP', 'UDP'];
const scopes = ['Cluster', 'Local'];
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

/** @param old undefined for a new service */
export function validateService(service: Service, old: Service | undefined): FieldError[] {
  const { metadata, spec } = service;
  const { ports = [], selector, type = '', externalIPs = [] } = spec;
  return [
    ...(old === undefined ? [] : validateChange(spec, old.spec)),
    ...validateTopology(metadata.annotations),
    ...(ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName' ? [required('spec.ports')] : []),
    ...validateType(spec),
    ...validatePorts(ports),
    ...validateLabels(selector, 'spec.selector'),
    ...validateAffinity(spec),
    ...validateAddressFields(spec),
    ...externalIPs.flatMap((address, index) =>
      validateExternalAddress(address, `spec.externalIPs[${index}]`),
    ),
    ...(types.includes(type) ? [] : [notSupported('spec.type', type, types)]),
    ...validateUniquePorts(spec),
    ...validateSourceRanges(service, old),
    ...(spec.allocateLoadBalancerNodePorts !== undefined && type !== 'LoadBalancer'
      ? [
          forbiddenField(
            'spec.allocateLoadBalancerNodePorts',
            "may only be used when `type` is 'LoadBalancer'",
          ),
        ]
      : []),
    ...validateClass(spec),
    ...validateExternalTraffic(spec),
    ...validateInternalTraffic(spec),
  ];
}

function validateChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const areBalancers = spec.type === 'LoadBalancer' && old.type === 'LoadBalancer';
  return [
    ...validateAddressChange(spec, old),
    ...(areBalancers && spec.loadBalancerClass !== old.loadBalancerClass
      ? [invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set')]
      : []),
    // The real server makes this check twice.
    ...validateClass(spec),
    ...(needsHealthCheck(spec) &&
    needsHealthCheck(old) &&
    (spec.healthCheckNodePort ?? 0) !== (old.healthCheckNodePort ?? 0)
      ? [forbiddenField('spec.healthCheckNodePort', 'field is immutable')]
      : []),
  ];
}

/** The older of two annotations with the same meaning. */
export const oldTopology = 'service.kubernetes.io/topology-aware-hints';
export const topologyMode = 'service.kubernetes.io/topology-mode';

function validateTopology(annotations: Service['metadata']['annotations'] = {}): FieldError[] {
  const [mode, hints] = [annotations[topologyMode], annotations[oldTopology]];
  return mode === undefined || hints === undefined || mode === hints
    ? []
    : [
        invalid(
          `metadata.annotations[${topologyMode}]`,
          mode,
          `must match annotations[${oldTopology}] when both are specified`,
        ),
      ];
}

function validateType(spec: ServiceSpec): FieldError[] {
  if (isOnNodes(spec) && isHeadless(spec)) {
    const problem = `may not be set to 'None' for ${spec.type ?? ''} services`;
    return [invalid('spec.clusterIPs[0]', 'None', problem)];
  }
  return spec.type === 'ExternalName' ? validateExternalName(spec) : [];
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

function validatePorts(ports: readonly ServicePort[]): FieldError[] {
  const repeated = repeatedIn(ports.map(({ name }) => name));
  return ports.flatMap((given, index) => {
    const { name = '', port, protocol = '', targetPort, appProtocol } = given;
    const at = `spec.ports[${index}]`;
    return [
      ...(name === '' && ports.length > 1 ? [required(`${at}.name`)] : []),
      ...(name === '' ? [] : dnsLabel(name, false).map((problem) => invalid(`${at}.name`, name, problem))),
      ...(name !== '' && repeated.has(index) ? [duplicate(`${at}.name`, name)] : []),
      ...validatePort(port, `${at}.port`),
      ...(protocols.includes(protocol) ? [] : [notSupported(`${at}.protocol`, protocol, protocols)]),
      ...validatePortOrName(targetPort ?? 0, `${at}.targetPort`),
      ...(appProtocol === undefined ? [] : validateAppProtocol(appProtocol, `${at}.appProtocol`)),
    ];
  });
}

function validatePortOrName(port: number | string, path: string): FieldError[] {
  return typeof port === 'number'
    ? validatePort(port, path)
    : portNameProblems(port).map((problem) => invalid(path, port, problem));
}

export function validateAppProtocol(protocol: string, path: string): FieldError[] {
  return qualifiedNameProblems(protocol).map((problem) => invalid(path, protocol, problem));
}

const longestAffinity = 86_400;

function validateAffinity({ sessionAffinity = '', sessionAffinityConfig }: ServiceSpec): FieldError[] {
  if (!affinities.includes(sessionAffinity)) {
    return [notSupported('spec.sessionAffinity', sessionAffinity, affinities)];
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  return sessionAffinity === 'ClientIP' &&
    seconds !== undefined &&
    (seconds <= 0 || seconds > longestAffinity)
    ? [
        invalid(
          'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
          seconds,
          `must be greater than 0 and less than ${longestAffinity}`,
        ),
      ]
    : [];
}

function validateExternalAddress(address: string, path: string): FieldError[] {
  const errors = validateAddress(address, path);
  return errors.length > 0 ? errors : validateEndpointAddress(address, path);
}

function validateUniquePorts({ type, ports = [] }: ServiceSpec): FieldError[] {
  const repeated = (field: 'port' | 'nodePort'): ReadonlySet<number> =>
    repeatedIn(ports.map((port) => JSON.stringify([port.protocol, port[field]])));
  const [repeatedPorts, repeatedOnNodes] = [repeated('port'), repeated('nodePort')];
  const onNodes = ports.map(({ nodePort = 0 }, index) => ({ nodePort, at: `spec.ports[${index}].nodePort` }));
  return [
    ...onNodes.flatMap(({ nodePort, at }) =>
      type === 'ClusterIP' && nodePort !== 0
        ? [forbiddenField(at, "may not be used when `type` is 'ClusterIP'")]
        : [],
    ),
    ...onNodes.flatMap(({ nodePort, at }, index) =>
      nodePort !== 0 && repeatedOnNodes.has(index) ? [duplicate(at, nodePort)] : [],
    ),
    ...ports.flatMap(({ port, protocol = '' }, index) =>
      repeatedPorts.has(index) ? [duplicate(`spec.ports[${index}]`, shownPort(protocol, port))] : [],
    ),
  ];
}

/** A port as the real server's error shows it. */
const shownPort = (protocol: string, port: number): { [field: string]: string | number | null } => ({
  Name: '',
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
});

const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** Source ranges are in a field, or in the annotation that is older than the field. */
function validateSourceRanges({ metadata, spec }: Service, old: Service | undefined): FieldError[] {
  const { type, loadBalancerSourceRanges: ranges = [] } = spec;
  const annotated = metadata.annotations?.[rangesAnnotation];
  const refuse = (path: string): FieldError[] =>
    type === 'LoadBalancer' ? [] : [forbiddenField(path, "may only be used when `type` is 'LoadBalancer'")];
  if (ranges.length > 0) {
    const path = 'spec.LoadBalancerSourceRanges';
    return [
      ...refuse(path),
      ...ranges.flatMap((range, index) => validateNetwork(range.trim(), `${path}[${index}]`)),
    ];
  }
  if (annotated === undefined) {
    return [];
  }
  const path = `metadata.annotations[${rangesAnnotation}]`;
  const isKept = old?.metadata.annotations?.[rangesAnnotation] === annotated || annotated.trim() === '';
  return [
    ...refuse(path),
    ...(isKept ? [] : annotated.split(',').flatMap((range) => validateNetwork(range.trim(), path))),
  ];
}

function validateClass({ type, loadBalancerClass: name }: ServiceSpec): FieldError[] {
  const path = 'spec.loadBalancerClass';
  if (name === undefined) {
    return [];
  }
  return type === 'LoadBalancer'
    ? qualifiedNameProblems(name).map((problem) => invalid(path, name, problem))
    : [forbiddenField(path, "may only be used when `type` is 'LoadBalancer'")];
}

function validateExternalTraffic(spec: ServiceSpec): FieldError[] {
  const { externalTrafficPolicy: policy = '', healthCheckNodePort: port = 0 } = spec;
  const path = 'spec.externalTrafficPolicy';
  const errors: FieldError[] = [];
  if (isReachableFromOutside(spec)) {
    append(errors, scopes.includes(policy) ? [] : [notSupported(path, policy, scopes)]);
  } else if (policy !== '') {
    errors.push(invalid(path, policy, 'may only be set for externally-accessible services'));
  }
  if (needsHealthCheck(spec)) {
    append(errors, validatePort(port, 'spec.healthCheckNodePort'));
  } else if (port !== 0) {
    const problem = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid('spec.healthCheckNodePort', port, problem));
  }
  return errors;
}

function validateInternalTraffic({
  internalTrafficPolicy: policy,
  trafficDistribution: distribution,
}: ServiceSpec): FieldError[] {
  return [
    ...(policy === undefined || scopes.includes(policy)
      ? []
      : [notSupported('spec.internalTrafficPolicy', policy, scopes)]),
    ...(distribution === undefined || distributions.includes(distribution)
      ? []
      : [notSupported('spec.trafficDistribution', distribution, distributions)]),
  ];
}

const modes = ['Proxy', 'VIP'];

/** Validates the addresses that a load balancer reports. */
export function validateIngress(ingresses: readonly LoadBalancerIngress[]): FieldError[] {
  return ingresses.flatMap(({ ip = '', ipMode, hostname = '' }, index) => {
    const at = `status.loadBalancer.ingress[${index}]`;
    return [
      ...(ip === '' ? [] : validateAddress(ip, `${at}.ip`)),
      ...(ipMode === undefined && ip !== ''
        ? [required(`${at}.ipMode`, 'must be specified when `ip` is set')]
        : []),
      ...(ipMode !== undefined && ip === ''
        ? [forbiddenField(`${at}.ipMode`, 'may not be specified when `ip` is not set')]
        : []),
      ...(ipMode !== undefined && ip !== '' && !modes.includes(ipMode)
        ? [notSupported(`${at}.ipMode`, ipMode, modes)]
        : []),
      ...validateBalancerName(hostname, `${at}.hostname`),
    ];
  });
}

/** Validates the host name of a load balancer. */
export function validateBalancerName(hostname: string, path: string): FieldError[] {
  return hostname === ''
    ? []
    : [
        ...dnsSubdomain(hostname, false).map((problem) => invalid(path, hostname, problem)),
        ...(isAddress(hostname) ? [invalid(path, hostname, 'must be a DNS name, not an IP address')] : []),
      ];
}
