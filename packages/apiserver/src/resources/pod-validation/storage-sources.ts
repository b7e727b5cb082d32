import { append } from '../../meta/append.ts';
import { type FieldError, invalid, notSupported, required, tooLong } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { validateDnsLabel, validateDnsSubdomain } from './name-errors.ts';
import { validateDescendingPath } from './paths.ts';

/* Validates volume sources with external storage: clouds, protocols, vendors, CSI drivers. */

interface NamedSecret extends JsonObject {
  name?: string;
}

interface Iscsi extends JsonObject {
  targetPortal: string;
  iqn: string;
  lun: number;
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: NamedSecret;
  initiatorName?: string;
}

interface Azure extends JsonObject {
  diskName: string;
  diskURI: string;
  cachingMode?: string;
  kind?: string;
}

export interface StorageSources {
  gitRepo: { repository: string; directory?: string };
  gcePersistentDisk: { pdName: string; partition?: number };
  awsElasticBlockStore: { volumeID: string; partition?: number };
  nfs: { server: string; path: string };
  iscsi: Iscsi;
  glusterfs: { endpoints: string; path: string };
  flocker: { datasetName?: string; datasetUUID?: string };
  rbd: { monitors: string[] | null; image: string };
  cinder: { volumeID: string; secretRef?: NamedSecret };
  cephfs: { monitors: string[] | null };
  quobyte: { registry: string; volume: string; tenant?: string };
  fc: { targetWWNs?: string[]; wwids?: string[]; lun?: number };
  flexVolume: { driver: string; options?: { [name: string]: string } };
  azureFile: { secretName: string; shareName: string };
  vsphereVolume: { volumePath: string };
  photonPersistentDisk: { pdID: string };
  portworxVolume: { volumeID: string };
  azureDisk: Azure;
  storageos: { volumeName?: string; volumeNamespace?: string; secretRef?: NamedSecret };
  scaleIO: { gateway: string; system: string; volumeName?: string };
  csi: { driver: string; nodePublishSecretRef?: NamedSecret };
}

type Rules = {
  readonly [Name in keyof StorageSources]: (source: StorageSources[Name], at: string) => FieldError[];
};

export const storageRules: Rules = {
  gitRepo: ({ repository, directory = '' }, at) => [
    ...given({ repository }, at),
    ...validateDescendingPath(directory, `${at}.directory`),
  ],
  // The real server's error has another name for the field.
  gcePersistentDisk: ({ pdName, partition = 0 }, at) =>
    validateDisk({ pdName }, partition, at.replace(/gcePersistentDisk$/, 'persistentDisk')),
  awsElasticBlockStore: ({ volumeID, partition = 0 }, at) => validateDisk({ volumeID }, partition, at),
  nfs: ({ server, path }, at) => [
    ...given({ server, path }, at),
    ...(path.startsWith('/') ? [] : [invalid(`${at}.path`, path, 'must be an absolute path')]),
  ],
  iscsi: validateIscsi,
  glusterfs: ({ endpoints, path }, at) => given({ endpoints, path }, at),
  flocker: validateFlocker,
  rbd: ({ monitors, image }, at) => [
    ...((monitors ?? []).length === 0 ? [required(`${at}.monitors`)] : []),
    ...given({ image }, at),
  ],
  cinder: ({ volumeID, secretRef }, at) => [...given({ volumeID }, at), ...named(secretRef, at)],
  cephfs: ({ monitors }, at) => ((monitors ?? []).length === 0 ? [required(`${at}.monitors`)] : []),
  quobyte: validateQuobyte,
  fc: validateFibreChannel,
  flexVolume: ({ driver, options = {} }, at) => [
    ...given({ driver }, at),
    ...Object.keys(options).flatMap((key) =>
      /(?:^|\.)(?:kubernetes|k8s)\.io$/i.test(key.split('/')[0] ?? '')
        ? [invalid(`${at}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved')]
        : [],
    ),
  ],
  azureFile: ({ secretName, shareName }, at) => given({ secretName, shareName }, at),
  vsphereVolume: ({ volumePath }, at) => given({ volumePath }, at),
  photonPersistentDisk: ({ pdID }, at) => given({ pdID }, at),
  portworxVolume: ({ volumeID }, at) => given({ volumeID }, at),
  azureDisk: validateAzureDisk,
  storageos: ({ volumeName = '', volumeNamespace = '', secretRef }, at) => [
    ...(volumeName === ''
      ? [required(`${at}.volumeName`)]
      : validateDnsLabel(volumeName, `${at}.volumeName`)),
    ...(volumeNamespace === '' ? [] : validateDnsLabel(volumeNamespace, `${at}.volumeNamespace`)),
    ...named(secretRef, at),
  ],
  scaleIO: ({ gateway, system, volumeName = '' }, at) => given({ gateway, system, volumeName }, at),
  csi: validateDriver,
};

function given(fields: { readonly [field: string]: string }, at: string): FieldError[] {
  return Object.entries(fields).flatMap(([field, value]) =>
    value === '' ? [required(`${at}.${field}`)] : [],
  );
}

function named(secret: NamedSecret | undefined, at: string): FieldError[] {
  return secret !== undefined && (secret.name ?? '') === '' ? [required(`${at}.secretRef.name`)] : [];
}

function validateDisk(
  name: { readonly [field: string]: string },
  partition: number,
  at: string,
): FieldError[] {
  return [
    ...given(name, at),
    ...(partition < 0 || partition > 255
      ? [invalid(`${at}.partition`, partition, 'must be between 1 and 255, inclusive')]
      : []),
  ];
}

/** The error in the name of an iSCSI initiator or target. */
function iscsiNameProblem(name: string): string | undefined {
  const formats = [
    /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/,
    /^eui.[a-zA-Z0-9]{16}$/,
    /^naa.[a-zA-Z0-9]{32}$/,
  ];
  const kind = ['iqn', 'eui', 'naa'].indexOf(name.slice(0, 3));
  if (kind === -1) {
    return 'must be valid format starting with iqn, eui, or naa';
  }
  return formats[kind]?.test(name) === true ? undefined : 'must be valid format';
}

function validateIscsi(source: Iscsi, at: string): FieldError[] {
  const { targetPortal, iqn, lun, initiatorName, secretRef } = source;
  const { chapAuthDiscovery = false, chapAuthSession = false } = source;
  const validateName = (name: string, field: string): FieldError[] => {
    const problem = iscsiNameProblem(name);
    return problem === undefined ? [] : [invalid(`${at}.${field}`, name, problem)];
  };
  return [
    ...given({ targetPortal }, at),
    ...(iqn === '' ? [required(`${at}.iqn`)] : validateName(iqn, 'iqn')),
    ...(lun >= 0 && lun <= 255 ? [] : [invalid(`${at}.lun`, lun, 'must be between 0 and 255, inclusive')]),
    ...((chapAuthDiscovery || chapAuthSession) && secretRef === undefined
      ? [required(`${at}.secretRef`)]
      : []),
    ...(initiatorName === undefined ? [] : validateName(initiatorName, 'initiatorname')),
  ];
}

function validateFlocker(
  { datasetName = '', datasetUUID = '' }: StorageSources['flocker'],
  at: string,
): FieldError[] {
  return [
    ...(datasetName === '' && datasetUUID === ''
      ? [required(at, 'one of datasetName and datasetUUID is required')]
      : []),
    ...(datasetName !== '' && datasetUUID !== ''
      ? [invalid(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')]
      : []),
    ...(datasetName.includes('/') ? [invalid(`${at}.datasetName`, datasetName, "must not contain '/'")] : []),
  ];
}

const longestTenant = 64;

function validateQuobyte(
  { registry, volume, tenant = '' }: StorageSources['quobyte'],
  at: string,
): FieldError[] {
  const problem = 'must be a host:port pair or multiple pairs separated by commas';
  const errors: FieldError[] = [];
  if (registry === '') {
    errors.push(required(`${at}.registry`, problem));
  } else if (tenant.length > longestTenant) {
    errors.push(
      required(`${at}.tenant`, `must be a UUID and may not exceed a length of ${longestTenant} characters`),
    );
  } else {
    const wrong = registry.split(',').filter((pair) => !isHostAndPort(pair));
    append(
      errors,
      wrong.map(() => invalid(`${at}.registry`, registry, problem)),
    );
  }
  return [...errors, ...given({ volume }, at)];
}

/** Whether Go's net.SplitHostPort accepts the text; host and port may be empty. */
function isHostAndPort(pair: string): boolean {
  return /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair);
}

function validateFibreChannel(
  { targetWWNs = [], wwids = [], lun }: StorageSources['fc'],
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(required(`${at}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    const problem = 'targetWWNs and wwids can not be specified simultaneously';
    errors.push(invalid(`${at}.targetWWNs`, targetWWNs, problem));
  }
  if (targetWWNs.length > 0 && lun === undefined) {
    errors.push(required(`${at}.lun`, 'lun is required if targetWWNs is specified'));
  } else if (targetWWNs.length > 0 && lun !== undefined && (lun < 0 || lun > 255)) {
    errors.push(invalid(`${at}.lun`, lun, 'must be between 0 and 255, inclusive'));
  }
  return errors;
}

const cachingModes = ['None', 'ReadOnly', 'ReadWrite'];
const diskKinds = ['Dedicated', 'Managed', 'Shared'];

function validateAzureDisk({ diskName, diskURI, cachingMode, kind }: Azure, at: string): FieldError[] {
  const managed =
    '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
  const blob = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
  return [
    ...given({ diskName, diskURI }, at),
    ...(cachingMode === undefined || cachingModes.includes(cachingMode)
      ? []
      : [notSupported(`${at}.cachingMode`, cachingMode, cachingModes)]),
    ...(kind === undefined || diskKinds.includes(kind) ? [] : [notSupported(`${at}.kind`, kind, diskKinds)]),
    ...(kind === 'Managed' && !diskURI.startsWith('/subscriptions/')
      ? [notSupported(`${at}.diskURI`, diskURI, [managed])]
      : []),
    ...(kind !== undefined && kind !== 'Managed' && !diskURI.startsWith('https://')
      ? [notSupported(`${at}.diskURI`, diskURI, [blob])]
      : []),
  ];
}

const longestDriver = 63;

function validateDriver(
  { driver, nodePublishSecretRef: secret }: StorageSources['csi'],
  at: string,
): FieldError[] {
  const { name = '' } = secret ?? {};
  const errors: FieldError[] = given({ driver }, at);
  if (driver !== '') {
    append(errors, [
      ...(driver.length > longestDriver ? [tooLong(`${at}.driver`, longestDriver)] : []),
      ...dnsSubdomain(driver.toLowerCase(), false).map((problem) => invalid(`${at}.driver`, driver, problem)),
    ]);
  }
  if (secret !== undefined) {
    append(
      errors,
      name === '' ? [required(`${at}.nodePublishSecretRef.name`)] : validateDnsSubdomain(name, `${at}.name`),
    );
  }
  return errors;
}
