import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../meta/field-error.ts';
import { type Json, type JsonObject, jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { validateInterfaceAddress } from '../addresses.ts';
import { validateConditions } from '../conditions.ts';
import { goValue } from '../go-diff.ts';
import { type NodeSelector, validateNodeSelector } from '../pod-validation/affinity.ts';
import { repeatedIn } from '../repeated-values.ts';
import {
  type ClaimSpec,
  requestNames,
  validateObject,
  validateRequestConfiguration,
  validateRequestName,
} from './device-claim-validation.ts';
import {
  validateBindingConditions,
  validateDriverName,
  validateItems,
  validateLabel,
  validatePoolName,
  validateSet,
} from './device-names.ts';

/* Validates the status of claims: which devices they got, for whom, and how these are. */

interface DeviceIdentity extends JsonObject {
  driver: string;
  pool: string;
  device: string;
  shareID?: string;
}

interface Result extends DeviceIdentity {
  request: string;
  adminAccess?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
}

interface Allocation extends JsonObject {
  devices?: { results?: Result[]; config?: (JsonObject & { source: string; requests?: string[] })[] };
  nodeSelector?: NodeSelector;
}

interface DeviceStatus extends DeviceIdentity {
  conditions?: JsonObject[] | null;
  data?: Json;
  networkData?: { interfaceName?: string; hardwareAddress?: string; ips?: string[] };
}

interface Consumer extends JsonObject {
  resource: string;
  name: string;
  uid: string;
}

export interface ResourceClaim extends KubeObject {
  spec: ClaimSpec;
  status: { allocation?: Allocation; reservedFor?: Consumer[]; devices?: DeviceStatus[] };
}

const most = { consumers: 256, results: 32, configurations: 64, conditions: 8, addresses: 16 };
const longest = { data: 10 * 1024, interfaceName: 256, hardwareAddress: 128 };

const identityOf = ({ driver, pool, device, shareID }: DeviceIdentity): string =>
  [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/');

const allocated = ({ status }: ResourceClaim): ReadonlySet<string> =>
  new Set((status.allocation?.devices?.results ?? []).map(identityOf));

/** The identity as Go's struct prints it. */
const shownIdentity = ({ driver, pool, device, shareID = '' }: DeviceIdentity): JsonObject => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

/** The status of devices that a claim has no longer is dropped. */
export function dropFreedDevices(claim: ResourceClaim, old: ResourceClaim): void {
  const [had, has] = [allocated(old), allocated(claim)];
  const { devices } = claim.status;
  const left = devices?.filter((device) => !had.has(identityOf(device)) || has.has(identityOf(device)));
  if (left === undefined || left.length === 0) {
    delete claim.status.devices;
  } else {
    claim.status.devices = left;
  }
}

export function validateClaimStatus(claim: ResourceClaim, old: ResourceClaim): FieldError[] {
  const { reservedFor = [], allocation, devices = [] } = claim.status;
  const before = old.status;
  const names = requestNames(claim.spec.devices?.requests ?? []);
  const known = allocated(claim);
  const path = 'status.reservedFor';
  const hasNew = reservedFor.some(
    (consumer) => before.reservedFor?.some((other) => jsonEqual(other, consumer)) !== true,
  );
  return [
    ...validateSet(reservedFor, most.consumers, path, ({ uid }) => uid, validateConsumer),
    ...devices.flatMap((device, index) => validateDevice(device, known, `status.devices[${index}]`)),
    ...repeatedDevices(devices),
    ...(reservedFor.length > 0 && allocation === undefined
      ? [forbiddenField(path, 'may not be specified when `allocated` is not set')]
      : []),
    ...(allocation !== undefined && claim.metadata.deletionTimestamp !== undefined && hasNew
      ? [
          forbiddenField(
            path,
            'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
          ),
        ]
      : []),
    ...(allocation === undefined ? [] : validateAllocation(allocation, before.allocation, names)),
  ];
}

function validateConsumer(consumer: Consumer, path: string): FieldError[] {
  return (['resource', 'name', 'uid'] as const).flatMap((field) =>
    consumer[field] === '' ? [required(`${path}.${field}`)] : [],
  );
}

function repeatedDevices(devices: readonly DeviceStatus[]): FieldError[] {
  const repeated = repeatedIn(devices.map(identityOf));
  return devices.flatMap((device, index) =>
    repeated.has(index) ? [duplicate(`status.devices[${index}]`, shownIdentity(device))] : [],
  );
}

function validateAllocation(
  allocation: Allocation,
  old: Allocation | undefined,
  names: ReadonlySet<string>,
): FieldError[] {
  const path = 'status.allocation';
  if (old !== undefined) {
    const struct = 'resource.v1.AllocationResult';
    return validateImmutable(goValue(allocation, struct), goValue(old, struct), path);
  }
  const { results = [], config = [] } = allocation.devices ?? {};
  const { nodeSelector } = allocation;
  return [
    ...validateItems(results, most.results, `${path}.devices.results`, (result, at) => [
      ...validateRequestName(result.request, names, `${at}.request`),
      ...validateIdentity(result, at, () => validateBindingConditions(result, at)),
    ]),
    ...validateItems(config, most.configurations, `${path}.devices.config`, (configuration, at) => [
      ...validateSource(configuration.source, `${at}.source`),
      ...validateRequestConfiguration(configuration, names, at),
    ]),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, `${path}.nodeSelector`)),
  ];
}

const sources = ['FromClaim', 'FromClass'];

function validateSource(source: string, path: string): FieldError[] {
  if (source === '') {
    return [required(path)];
  }
  return sources.includes(source) ? [] : [notSupported(path, source, sources)];
}

/** @param more what is validated before the share */
function validateIdentity(
  { driver, pool, device, shareID }: DeviceIdentity,
  path: string,
  more: () => FieldError[] = () => [],
): FieldError[] {
  return [
    ...validateDriverName(driver, `${path}.driver`),
    ...validatePoolName(pool, `${path}.pool`),
    ...validateLabel(device, `${path}.device`),
    ...more(),
    ...(shareID === undefined ? [] : validateUid(shareID, `${path}.shareID`)),
  ];
}

const uidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The lengths of the forms that are read: plain, in braces, with a prefix, and without dashes. */
const uidLengths = [36, 38, 45, 32];

function validateUid(uid: string, path: string): FieldError[] {
  if (!uidLengths.includes(uid.length)) {
    return [invalid(path, uid, `error validating uid: invalid UUID length: ${uid.length}`)];
  }
  if (uid.length === 36 && !uidPattern.test(uid)) {
    return [invalid(path, uid, 'error validating uid: invalid UUID format')];
  }
  return uid.length === 36 && uid === uid.toLowerCase()
    ? []
    : [
        invalid(
          path,
          uid,
          'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
        ),
      ];
}

function validateDevice(device: DeviceStatus, known: ReadonlySet<string>, path: string): FieldError[] {
  const { data, networkData } = device;
  const conditions = device.conditions ?? [];
  return [
    ...validateIdentity(device, path),
    ...(known.has(identityOf(device))
      ? []
      : [invalid(path, shownIdentity(device), 'must be an allocated device in the claim')]),
    ...(conditions.length > most.conditions
      ? [tooMany(`${path}.conditions`, conditions.length, most.conditions)]
      : []),
    ...validateConditions(conditions, `${path}.conditions`),
    ...(data === undefined || data === null ? [] : validateObject(data, longest.data, `${path}.data`)),
    ...(networkData === undefined ? [] : validateNetworkData(networkData, `${path}.networkData`)),
  ];
}

function validateNetworkData(
  { interfaceName = '', hardwareAddress = '', ips = [] }: NonNullable<DeviceStatus['networkData']>,
  path: string,
): FieldError[] {
  return [
    ...(Buffer.byteLength(interfaceName) > longest.interfaceName
      ? [tooLong(`${path}.interfaceName`, longest.interfaceName)]
      : []),
    ...(Buffer.byteLength(hardwareAddress) > longest.hardwareAddress
      ? [tooLong(`${path}.hardwareAddress`, longest.hardwareAddress)]
      : []),
    ...validateSet(ips, most.addresses, `${path}.ips`, (ip) => ip, validateInterfaceAddress),
  ];
}
