import {
  type FieldError,
  duplicate,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../meta/field-error.ts';
import { type JsonObject, jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain, labelValueProblems } from '../../meta/names.ts';
import { validateAddress, validateCanonicalAddress, validateEndpointAddress } from '../addresses.ts';
import { addressWarnings } from '../ip-warnings.ts';
import { describedResource } from './described-resource.ts';
import { protocols, validateAppProtocol } from './service-validation.ts';
import { age, text } from './shown.ts';
import { shownOf } from './shown-endpoints.ts';

interface Hints extends JsonObject {
  forZones?: { name: string }[];
  forNodes?: { name: string }[];
}

interface Endpoint extends JsonObject {
  addresses: string[] | null;
  hostname?: string;
  nodeName?: string;
  hints?: Hints;
  deprecatedTopology?: { [key: string]: string };
}

interface EndpointPort extends JsonObject {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
}

interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints: Endpoint[] | null;
  ports: EndpointPort[] | null;
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const most = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8 };

/** discovery.k8s.io/v1 */
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
  warnings: ({ addressType, endpoints }: EndpointSlice, old) => [
    ...(addressType === 'FQDN' && old === undefined
      ? ['spec.addressType: FQDN endpoints are deprecated']
      : []),
    ...(endpoints ?? []).flatMap(({ addresses }, index) =>
      (addresses ?? []).flatMap((address, position) =>
        addressWarnings(address, `endpoints[${index}].addresses[${position}]`),
      ),
    ),
  ],
  prepareForCreate: dropTopology,
  prepareForUpdate: dropTopology,
  refusals: ({ addressType, endpoints, ports }: EndpointSlice, old) => [
    ...(addressType === '' ? [required('addressType')] : []),
    ...(addressType === '' || addressTypes.includes(addressType)
      ? []
      : [notSupported('addressType', addressType, addressTypes)]),
    ...validatePorts(ports ?? []),
    ...(jsonEqual(endpoints, old?.['endpoints']) ? [] : validateEndpoints(endpoints ?? [], addressType)),
  ],
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

/** Drops deprecatedTopology, which discovery.k8s.io/v1beta1 had instead of nodes and zones. */
function dropTopology({ endpoints }: EndpointSlice): void {
  for (const endpoint of endpoints ?? []) {
    delete endpoint.deprecatedTopology;
  }
}

function validatePorts(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > most.ports) {
    return [tooMany('ports', ports.length, most.ports)];
  }
  return ports.flatMap(({ name = '', protocol = '', appProtocol }, index) => {
    const at = `ports[${index}]`;
    const isTaken = ports.slice(0, index).some((other) => (other.name ?? '') === name);
    return [
      ...(name === '' ? [] : dnsLabel(name, false).map((problem) => invalid(`${at}.name`, name, problem))),
      ...(isTaken ? [duplicate(`${at}.name`, name)] : []),
      ...(protocols.includes(protocol) ? [] : [notSupported(`${at}.protocol`, protocol, protocols)]),
      ...(appProtocol === undefined ? [] : validateAppProtocol(appProtocol, `${at}.appProtocol`)),
    ];
  });
}

function validateEndpoints(endpoints: readonly Endpoint[], addressType: string): FieldError[] {
  if (endpoints.length > most.endpoints) {
    return [tooMany('endpoints', endpoints.length, most.endpoints)];
  }
  return endpoints.flatMap((endpoint, index) => {
    const at = `endpoints[${index}]`;
    const { nodeName, hostname, hints } = endpoint;
    const addresses = endpoint.addresses ?? [];
    const path = `${at}.addresses`;
    return [
      ...(addresses.length === 0 ? [required(path, 'must contain at least 1 address')] : []),
      ...(addresses.length > most.addresses ? [tooMany(path, addresses.length, most.addresses)] : []),
      ...addresses.flatMap((address, position) =>
        validateOfType(address, addressType, path, `${path}[${position}]`),
      ),
      ...(nodeName === undefined ? [] : validateNodeName(nodeName, `${at}.nodeName`)),
      ...(hostname === undefined
        ? []
        : dnsLabel(hostname, false).map((problem) => invalid(`${at}.hostname`, hostname, problem))),
      ...(hints === undefined ? [] : validateHints(hints, `${at}.hints`)),
    ];
  });
}

function validateOfType(address: string, type: string, path: string, at: string): FieldError[] {
  switch (type) {
    case 'IPv4':
    case 'IPv6': {
      const errors = type === 'IPv4' ? validateAddress(address, at) : validateCanonicalAddress(address, at);
      const isOther = address.includes(':') !== (type === 'IPv6');
      return errors.length > 0
        ? errors
        : [
            ...(isOther ? [invalid(path, address, `must be an ${type} address`)] : []),
            ...validateEndpointAddress(address, at),
          ];
    }
    case 'FQDN':
      return validateQualifiedName(address, at);
    default:
      return [];
  }
}

function validateQualifiedName(given: string, path: string): FieldError[] {
  if (given === '') {
    return [required(path)];
  }
  const name = given.replace(/\.$/, '');
  const labels = name.split('.');
  const problems = dnsSubdomain(name, false);
  if (problems.length > 0) {
    return [invalid(path, name, problems.join(','))];
  }
  if (labels.length < 2) {
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  }
  return labels.flatMap((label) => {
    const wrong = dnsLabel(label, false);
    return wrong.length === 0 ? [] : [invalid(path, label, wrong.join(','))];
  });
}

function validateNodeName(name: string, path: string): FieldError[] {
  return dnsSubdomain(name, false).map((problem) => invalid(path, name, problem));
}

function validateHints({ forZones = [], forNodes = [] }: Hints, path: string): FieldError[] {
  const repeated = (list: readonly { name: string }[], index: number, at: string): FieldError[] => {
    const { name = '' } = list[index] ?? {};
    return list.slice(0, index).some((other) => other.name === name) ? [duplicate(at, name)] : [];
  };
  if (forZones.length > most.hints) {
    return [tooMany(`${path}.forZones`, forZones.length, most.hints)];
  }
  const ofZones = forZones.flatMap(({ name }, index) => {
    const at = `${path}.forZones[${index}].name`;
    return [
      ...repeated(forZones, index, at),
      ...labelValueProblems(name).map((problem) => invalid(at, name, problem)),
    ];
  });
  if (forNodes.length > most.hints) {
    return [...ofZones, tooMany(`${path}.forNodes`, forNodes.length, most.hints)];
  }
  const ofNodes = forNodes.flatMap(({ name }, index) => {
    const at = `${path}.forNodes[${index}].name`;
    return [...repeated(forNodes, index, at), ...validateNodeName(name, at)];
  });
  return [...ofZones, ...ofNodes];
}
