import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsLabel, dnsSubdomain } from '../../meta/names.ts';
import { validateAddress, validateEndpointAddress } from '../addresses.ts';
import { addressWarnings } from '../ip-warnings.ts';
import { validatePort } from '../numbers.ts';
import { describedResource } from './described-resource.ts';
import { protocols, validateAppProtocol } from './service-validation.ts';
import { age, text } from './shown.ts';
import { shownOf } from './shown-endpoints.ts';

interface EndpointPort extends JsonObject {
  name?: string;
  port: number;
  protocol?: string;
  appProtocol?: string;
}

interface EndpointAddress extends JsonObject {
  ip: string;
  hostname?: string;
  nodeName?: string;
}

interface EndpointSubset extends JsonObject {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

interface Endpoints extends KubeObject {
  subsets?: EndpointSubset[];
}

/** core/v1 */
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
  warnings: ({ subsets = [] }: Endpoints) =>
    subsets.flatMap(({ addresses = [], notReadyAddresses = [] }, index) =>
      Object.entries({ addresses, notReadyAddresses }).flatMap(([field, list]) =>
        list.flatMap(({ ip }, position) => addressWarnings(ip, `subsets[${index}].${field}[${position}].ip`)),
      ),
    ),
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
  const isEmpty = addresses.length === 0 && notReadyAddresses.length === 0;
  return [
    ...(isEmpty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...Object.entries({ addresses, notReadyAddresses }).flatMap(([field, list]) =>
      list.flatMap((address, index) => validateEndpoint(address, `${path}.${field}[${index}]`)),
    ),
    ...ports.flatMap((port, index) => validatePortOf(port, ports.length > 1, `${path}.ports[${index}]`)),
  ];
}

/** The real server checks twice: whether it is an address, and whether endpoints may have it. */
function validateEndpoint({ ip, hostname = '', nodeName }: EndpointAddress, path: string): FieldError[] {
  const refuse =
    (field: string, value: string) =>
    (problem: string): FieldError =>
      invalid(`${path}.${field}`, value, problem);
  return [
    ...validateAddress(ip, `${path}.ip`),
    ...(hostname === '' ? [] : dnsLabel(hostname, false).map(refuse('hostname', hostname))),
    ...(nodeName === undefined ? [] : dnsSubdomain(nodeName, false).map(refuse('nodeName', nodeName))),
    ...validateEndpointAddress(ip, `${path}.ip`),
  ];
}

function validatePortOf(
  { name = '', port, protocol = '', appProtocol }: EndpointPort,
  isNameNeeded: boolean,
  path: string,
): FieldError[] {
  return [
    ...(name === '' && isNameNeeded ? [required(`${path}.name`)] : []),
    ...(name === '' ? [] : dnsLabel(name, false).map((problem) => invalid(`${path}.name`, name, problem))),
    ...validatePort(port, `${path}.port`),
    ...(protocols.includes(protocol) ? [] : [notSupported(`${path}.protocol`, protocol, protocols)]),
    ...(appProtocol === undefined ? [] : validateAppProtocol(appProtocol, `${path}.appProtocol`)),
  ];
}
