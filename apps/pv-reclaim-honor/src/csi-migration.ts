import type { PersistentVolume } from '@holdfast/core';
import { inTreePluginOf } from './volume-source.ts';

/*
 * Which CSI driver has taken over an in-tree plugin, and the handle by which it knows the plugin's volumes.
 * The facts come from k8s.io/csi-translation-lib, which is a Go library; no npm package has them.
 */

/** A storage volume as a CSI driver identifies it. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
}

interface Migration {
  readonly driver: string;
  /** @throws Error if the volume's source has no handle by the rules of the driver. */
  handleOf(volume: PersistentVolume): string;
}

const unspecified = 'UNSPECIFIED';

const migrations: ReadonlyMap<string, Migration> = new Map<string, Migration>([
  ['kubernetes.io/aws-ebs', { driver: 'ebs.csi.aws.com', handleOf: awsHandle }],
  ['kubernetes.io/gce-pd', { driver: 'pd.csi.storage.gke.io', handleOf: gceHandle }],
  ['kubernetes.io/azure-disk', { driver: 'disk.csi.azure.com', handleOf: azureDiskHandle }],
  ['kubernetes.io/azure-file', { driver: 'file.csi.azure.com', handleOf: azureFileHandle }],
  [
    'kubernetes.io/cinder',
    { driver: 'cinder.csi.openstack.org', handleOf: ({ spec }) => spec?.cinder?.volumeID ?? '' },
  ],
  [
    'kubernetes.io/vsphere-volume',
    { driver: 'csi.vsphere.vmware.com', handleOf: ({ spec }) => spec?.vsphereVolume?.volumePath ?? '' },
  ],
  [
    'kubernetes.io/portworx-volume',
    { driver: 'pxd.portworx.com', handleOf: ({ spec }) => spec?.portworxVolume?.volumeID ?? '' },
  ],
]);

/** The in-tree plugins that a CSI driver can take over. */
export const migratablePlugins: readonly string[] = [...migrations.keys()];

/** Returns the CSI driver that takes over an in-tree plugin; undefined if there is none. */
export function driverOfPlugin(plugin: string): string | undefined {
  return migrations.get(plugin)?.driver;
}

/**
 * Returns the volume as its CSI driver identifies it, whether its source is CSI or a migrated plugin.
 *
 * @throws Error if a migrated source has no handle.
 */
export function csiVolumeOf(volume: PersistentVolume): CsiVolume {
  const { csi } = volume.spec ?? {};
  return csi === undefined ? translateToCsi(volume) : { driver: csi.driver, handle: csi.volumeHandle };
}

/**
 * Returns the volume of an in-tree plugin as its CSI driver identifies it.
 *
 * @throws Error if no driver takes over the plugin, or the source has no handle.
 */
export function translateToCsi(volume: PersistentVolume): CsiVolume {
  const plugin = inTreePluginOf(volume);
  const migration = plugin === undefined ? undefined : migrations.get(plugin);
  if (migration === undefined) {
    throw untranslatable(
      volume,
      `no CSI driver takes over ${plugin ?? 'its source'}; those that can be migrated are ${migratablePlugins.join(', ')}`,
    );
  }
  const handle = migration.handleOf(volume);
  if (handle === '') {
    throw untranslatable(volume, 'its source names no volume');
  }
  return { driver: migration.driver, handle };
}

/**
 * Returns `vol-1` for `aws://zone/vol-1`, `aws:///vol-1` and `vol-1`. The first two are URLs, and can have
 * escapes, a query and a fragment.
 */
function awsHandle(volume: PersistentVolume): string {
  const id = volume.spec?.awsElasticBlockStore?.volumeID ?? '';
  const path = /^aws:\/\/[^/?#]*([^?#]*)/.exec(id)?.[1];
  if (path === undefined) {
    return id;
  }
  const handle = /^\/+(vol-[^/]*)\/*$/.exec(unescaped(path) ?? '')?.[1];
  if (handle === undefined) {
    throw untranslatable(volume, `"${id}" is not of the form "aws://ZONE/vol-ID"`);
  }
  return handle;
}

/** Returns undefined if the path contains an invalid escape. */
function unescaped(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/**
 * Takes the zone from the label; several zones, joined by `__`, make a regional disk. The project stays
 * unspecified, and the driver uses its own.
 *
 * @throws Error if the zones belong to several regions.
 */
export function gceHandle(volume: PersistentVolume): string {
  const name = volume.spec?.gcePersistentDisk?.pdName ?? '';
  if (name === '') {
    return '';
  }
  const { labels = {} } = volume.metadata;
  const zones = (
    labels['failure-domain.beta.kubernetes.io/zone'] ||
    labels['topology.kubernetes.io/zone'] ||
    ''
  ).split('__');
  if (zones.length === 1) {
    return `projects/${unspecified}/zones/${zones[0] || unspecified}/disks/${name}`;
  }
  const regions = new Set(zones.map((zone) => zone.replace(/-[^-]*$/, '')));
  const [region] = regions;
  if (regions.size !== 1 || zones.some((zone) => !/^[^-]+-[^-]+-[^-]+$/.test(zone))) {
    throw untranslatable(volume, `zones "${zones.join('__')}" are not of one region`);
  }
  return `projects/${unspecified}/regions/${region ?? ''}/disks/${name}`;
}

function azureDiskHandle(volume: PersistentVolume): string {
  const { kind, diskURI = '' } = volume.spec?.azureDisk ?? {};
  if (kind !== undefined && kind.toLowerCase() !== 'managed') {
    throw untranslatable(volume, `a disk of kind "${kind}" can't be migrated, only a managed one`);
  }
  return diskURI;
}

/**
 * Returns `RESOURCE-GROUP#ACCOUNT#SHARE#VOLUME#NAMESPACE`. The last two are there so that two volumes of one
 * share have two handles.
 */
function azureFileHandle(volume: PersistentVolume): string {
  const { metadata, spec } = volume;
  const { secretName = '', secretNamespace, shareName = '' } = spec?.azureFile ?? {};
  const namespace = secretNamespace ?? spec?.claimRef?.namespace ?? '';
  if (namespace === '') {
    throw untranslatable(volume, 'neither its source nor its claimRef names the namespace of its secret');
  }
  const account = azureStorageAccountOf(secretName) ?? secretName;
  const resourceGroup = metadata.annotations?.['kubernetes.io/azure-file-resource-group'] ?? '';
  return [resourceGroup, account, shareName, metadata.name, namespace].join('#');
}

/** The most characters that the name of a Secret can have. */
const longestSecretName = 253;

/**
 * Returns the storage account in the name of an Azure file volume's Secret; undefined if only the Secret
 * itself holds it. A handle then has the name of the Secret in the place of the account.
 */
export function azureStorageAccountOf(secretName: string): string | undefined {
  // The API server accepts a name of a megabyte in a volume, and searching that would take minutes.
  return secretName.length > longestSecretName
    ? undefined
    : /azure-storage-account-(.+)-secret/.exec(secretName)?.[1];
}

function untranslatable({ metadata }: PersistentVolume, why: string): Error {
  return new Error(`volume ${metadata.name} has no CSI volume handle: ${why}`);
}
