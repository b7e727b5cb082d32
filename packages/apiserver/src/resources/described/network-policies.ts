import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject, LabelSelector } from '../../meta/kube-object.ts';
import { formatSelector } from '../../selectors/label-selector.ts';
import { validateLabelSelector } from '../../selectors/label-selector-validation.ts';
import { isNetwork, isStrictlyWithin, validateNetwork } from '../addresses.ts';
import { validatePort } from '../numbers.ts';
import { portNameProblems } from '../pod-validation/ports.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

interface Peer extends JsonObject {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
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

/** networking.k8s.io/v1. Nothing filters traffic by them. */
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
    const inward = ingress.map(({ from = [], ports = [] }) => ({ peers: from, ports, field: 'from' }));
    const outward = egress.map(({ to = [], ports = [] }) => ({ peers: to, ports, field: 'to' }));
    return [
      ...validateLabelSelector(podSelector, 'spec.podSelector'),
      ...Object.entries({ ingress: inward, egress: outward }).flatMap(([direction, rules]) =>
        rules.flatMap(({ peers, ports, field }, index) => [
          ...validatePorts(ports, `spec.${direction}[${index}].ports`),
          ...validatePeers(peers, `spec.${direction}[${index}].${field}`),
        ]),
      ),
      ...(given.length > policyTypes.length
        ? [invalid('spec.policyTypes', given, 'may not specify more than two policyTypes')]
        : given.flatMap((type, index) =>
            policyTypes.includes(type) ? [] : [notSupported(`spec.policyTypes[${index}]`, type, policyTypes)],
          )),
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

const protocols = ['TCP', 'UDP', 'SCTP'];

function validatePorts(ports: readonly PolicyPort[], path: string): FieldError[] {
  return ports.flatMap(({ protocol = '', port, endPort }, index) => {
    const at = `${path}[${index}]`;
    const errors = protocols.includes(protocol) ? [] : [notSupported(`${at}.protocol`, protocol, protocols)];
    if (typeof port === 'number') {
      return [
        ...errors,
        ...validatePort(port, `${at}.port`),
        ...(endPort === undefined ? [] : validateEnd(port, endPort, `${at}.endPort`)),
      ];
    }
    const problem =
      port === undefined
        ? 'may not be specified when `port` is not specified'
        : 'may not be specified when `port` is non-numeric';
    return [
      ...errors,
      ...(endPort === undefined ? [] : [invalid(`${at}.endPort`, endPort, problem)]),
      ...(port === undefined ? [] : portNameProblems(port).map((each) => invalid(`${at}.port`, port, each))),
    ];
  });
}

/** As on the real server, the error about a low `endPort` shows the value of `port`. */
function validateEnd(port: number, endPort: number, path: string): FieldError[] {
  return [
    ...(endPort < port ? [invalid(path, port, 'must be greater than or equal to `port`')] : []),
    ...validatePort(endPort, path),
  ];
}

function validatePeers(peers: readonly Peer[], path: string): FieldError[] {
  return peers.flatMap(({ podSelector, namespaceSelector, ipBlock }, index) => {
    const at = `${path}[${index}]`;
    const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
    return [
      ...validateLabelSelector(podSelector, `${at}.podSelector`),
      ...validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`),
      ...(ipBlock === undefined ? [] : validateBlock(ipBlock, `${at}.ipBlock`)),
      ...(!hasSelector && ipBlock === undefined ? [required(at, 'must specify a peer')] : []),
      ...(hasSelector && ipBlock !== undefined
        ? [forbiddenField(at, 'may not specify both ipBlock and another peer')]
        : []),
    ];
  });
}

function validateBlock({ cidr, except = [] }: NonNullable<Peer['ipBlock']>, path: string): FieldError[] {
  if (cidr === '') {
    return [required(`${path}.cidr`)];
  }
  const errors = validateNetwork(cidr, `${path}.cidr`);
  if (!isNetwork(cidr)) {
    return errors;
  }
  return [
    ...errors,
    ...except.flatMap((network, index) => {
      const at = `${path}.except[${index}]`;
      const isWrong = isNetwork(network) && !isStrictlyWithin(network, cidr);
      return [
        ...validateNetwork(network, at),
        ...(isWrong ? [invalid(at, network, 'must be a strict subset of `cidr`')] : []),
      ];
    }),
  ];
}
