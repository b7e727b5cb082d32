import type { PersistentVolume } from '@holdfast/core';
import { azureStorageAccountOf, driverOfPlugin, gceHandle, translateToCsi } from './csi-migration.ts';
import { reclaimPolicyAnnotation } from './decide/undo-window.ts';
import { stepsOfHandle } from './handle-steps.ts';
import { isText, isUnset, messageOf } from './shape.ts';
import { inTreePluginOf, plugins } from './volume-source.ts';

/*
 * This file alone defines what storage a volume is, and which storages overlap. Both the search for volumes
 * that stand in the way of a deletion and the separation of deletions use it. It judges the text of the
 * objects; the deletion itself examines what links and mounts make of a folder, in in-tree/.
 */

/**
 * Identifies the storage of a volume as steps from the whole to the part: a kind of storage, then a driver or
 * server, then a handle or the names of folders. One storage has one identity however it is spelled. An
 * identity that begins with all steps of another one is that storage or a part of it.
 */
export type StorageIdentity = readonly string[];

/**
 * Returns the identity of the volume's storage; undefined if its source is of an unknown kind, or names no
 * storage. It never throws, since it is also called for malformed objects. For those only the readable steps
 * count, so that they overlap with everything that they might be.
 *
 * | source                                | identity                                                     | as far as it can be read         |
 * |---------------------------------------|--------------------------------------------------------------|----------------------------------|
 * | hostPath, local                       | the folders of the path, whichever node it is on             | any folder                       |
 * | nfs, CSI driver of NFS                | that driver, the server in lower case, the folders           | any of that server, or any nfs   |
 * | CSI                                   | the driver, and what its handle says without what may differ | any of that driver, or any CSI   |
 * | in-tree that can be migrated          | the same, of the driver that takes it over                   | any of that driver               |
 * | `spec` is no object                   | -                                                            | any storage                      |
 */
export function storageIdentityOf(volume: PersistentVolume): StorageIdentity | undefined {
  const spec = messageOf(volume.spec);
  if (spec === undefined) {
    return [];
  }
  if (isFolder(volume)) {
    // Nodes are not distinguished: a hostPath is on every node, and the node of this process is not known.
    return ['folder', ...foldersOf(folderPathOf(volume) ?? '')];
  }
  if (!isUnset(spec['nfs'])) {
    const { server, path } = messageOf(spec['nfs']) ?? {};
    return isText(server) ? nfsIdentity(server, isText(path) ? path : '') : ['csi', nfsDriver];
  }
  return isUnset(spec['csi'])
    ? migratedIdentity(volume, spec)
    : csiStorageOf(spec['csi'], mayBeDeleted(volume));
}

/** Returns whether its policy or an annotation allows that it is deleted; not whether it will be. */
function mayBeDeleted({ metadata, spec }: PersistentVolume): boolean {
  return (
    spec?.persistentVolumeReclaimPolicy !== 'Retain' ||
    metadata.annotations?.[reclaimPolicyAnnotation] !== undefined
  );
}

/**
 * Returns the storage of a CSI source, as far as it can be read; undefined if it names none.
 *
 * @param isDeletable whether the driver might be asked to delete it, and then only uses the handle.
 */
export function csiStorageOf(source: unknown, isDeletable = false): StorageIdentity | undefined {
  const { driver, volumeHandle: handle, volumeAttributes, nodeStageSecretRef } = messageOf(source) ?? {};
  if (!isText(driver)) {
    return ['csi'];
  }
  if (!isText(handle)) {
    return anyOfDriver(driver);
  }
  if (handle === '') {
    return undefined;
  }
  const attributes = messageOf(volumeAttributes) ?? {};
  switch (driver) {
    case azureFileDriver:
    case azureBlobDriver:
      return azureStorage(driver, handle, attributes, nodeStageSecretRef, isDeletable);
    case nfsDriver:
      return nfsStorage(handle, attributes, isDeletable);
    case smbDriver:
      return smbStorage(handle, attributes, isDeletable);
    default:
      return cephDriver.test(driver)
        ? cephStorage(driver, handle, attributes)
        : manilaDriver.test(driver)
          ? manilaStorage(driver, handle, attributes, isDeletable)
          : csiIdentityOf(driver, handle);
  }
}

function migratedIdentity(
  volume: PersistentVolume,
  spec: Readonly<Record<string, unknown>>,
): StorageIdentity | undefined {
  const plugin = inTreePluginOf(volume);
  const driver = plugin === undefined ? undefined : driverOfPlugin(plugin);
  if (driver === undefined) {
    return undefined;
  }
  const field = Object.entries(plugins).find(([, name]) => name === plugin)?.[0] ?? '';
  const source = messageOf(spec[field]);
  if (source === undefined || Object.values(source).some((value) => typeof value === 'object')) {
    return ['csi', driver];
  }
  try {
    const { gcePersistentDisk, azureFile } = volume.spec ?? {};
    if (gcePersistentDisk !== undefined) {
      return gceIdentity(handleOr(`disks/${gcePersistentDisk.pdName}`, () => gceHandle(volume)));
    }
    if (azureFile !== undefined) {
      return azureIdentity(driver, azureStorageAccountOf(azureFile.secretName), azureFile.shareName);
    }
    const { handle } = translateToCsi(volume);
    return isText(handle) ? csiIdentityOf(driver, handle) : ['csi', driver];
  } catch (error) {
    // A source that names no storage by the rules of its plugin is known; one of an unexpected type is not.
    return error instanceof TypeError ? ['csi', driver] : undefined;
  }
}

/** Returns whether the volume is a folder of its node, even if its path cannot be read. */
function isFolder({ spec }: PersistentVolume): boolean {
  return !isUnset(spec?.hostPath) || !isUnset(spec?.local);
}

/**
 * Returns the path of a volume that is a folder of its node; undefined if it is another kind of volume, or
 * the path cannot be read.
 */
export function folderPathOf({ spec }: PersistentVolume): string | undefined {
  return [spec?.hostPath, spec?.local].map((source) => messageOf(source)?.['path']).find(isText);
}

/** Returns whether one storage is the other, or a part of it. */
export function storagesOverlap(one: StorageIdentity, other: StorageIdentity): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  return shorter.every((step, at) => step === longer[at]);
}

/** Returns whether the storages of two volumes overlap, as far as they are known. */
export function volumesOverlap(one: PersistentVolume, other: PersistentVolume): boolean {
  const [a, b] = [storageIdentityOf(one), storageIdentityOf(other)];
  return a !== undefined && b !== undefined && storagesOverlap(a, b);
}

/**
 * As many folders as a path of Linux can have, whose 4,096 bytes end with a zero. The API server accepts
 * paths of a megabyte: deeper folders are not distinguished, and overlap.
 */
const deepest = 2_047;

/**
 * Returns the names on the way to a folder. `.`, `..` and redundant slashes are resolved as text, and a
 * relative path starts at `/`.
 */
function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') {
      folders.pop();
    } else if (name !== '' && name !== '.') {
      folders.push(name);
    }
  }
  return folders.slice(0, deepest);
}

/** The driver of Amazon EBS, and the one of EKS Auto Mode, which has the same disks by the same handles. */
const ebsDriver = 'ebs.csi.aws.com';
const ebsDriverOfEks = 'ebs.csi.eks.amazonaws.com';

const efsDriver = 'efs.csi.aws.com';

/** Returns the identity of all that a driver has. */
export function anyOfDriver(driver: string): StorageIdentity {
  return ['csi', driver === ebsDriverOfEks ? ebsDriver : driver];
}

/** Returns the identity of what a driver knows by a handle. */
export function csiIdentityOf(driver: string, handle: string): StorageIdentity {
  switch (driver) {
    case ebsDriverOfEks:
      return ['csi', ebsDriver, handle];
    case efsDriver: {
      // `FILE-SYSTEM:FOLDER:ACCESS-POINT`: only access points are deleted.
      const [, , accessPoint = ''] = handle.split(':');
      return ['csi', efsDriver, accessPoint === '' ? handle : accessPoint];
    }
    case 'pd.csi.storage.gke.io':
      return gceIdentity(handle);
    case 'disk.csi.azure.com':
      // Azure's resource identifiers ignore case.
      return ['csi', driver, handle.toLowerCase()];
    case azureFileDriver:
    case azureBlobDriver:
      return azureStorage(driver, handle, {}, undefined, true);
    case nfsDriver:
      return nfsStorage(handle, {}, true);
    case smbDriver:
      return smbStorage(handle, {}, true);
    case vsphereDriver:
      return ['csi', driver, vsphereDisk(handle)];
    default:
      return cephDriver.test(driver)
        ? cephStorage(driver, handle, {})
        : manilaDriver.test(driver)
          ? manilaStorage(driver, handle, {}, true)
          : ['csi', driver, ...stepsOfHandle(driver, handle)];
  }
}

/**
 * A disk is identified by its name and its zone or region. The project is left out, and so is an unspecified
 * zone, because a migrated volume does not have them: the disk then counts as the same in any zone. It also
 * does if the handle stands for the disks of that name in all zones, which the driver deletes together
 * (`deleteMultiZoneDisk` of gcp-compute-persistent-disk-csi-driver). Like the driver, this checks only the
 * word before the location in a handle.
 */
function gceIdentity(handle: string): StorageIdentity {
  const driver = 'pd.csi.storage.gke.io';
  const { location, disk } =
    /^(?:[^/]*\/[^/]*\/(?:zones|regions)\/(?<location>[^/]*)\/)?[^/]*\/(?<disk>[^/]+)$/.exec(handle)
      ?.groups ?? {};
  if (disk === undefined) {
    return ['csi', driver, handle];
  }
  return location === undefined || manyZones.includes(location)
    ? ['csi', driver, disk]
    : ['csi', driver, disk, location];
}

const manyZones: readonly string[] = ['UNSPECIFIED', 'multi-zone'];

const vsphereDriver = 'csi.vsphere.vmware.com';

/**
 * The handle of a migrated volume is the path of its disk, `[datastore] folder/disk.vmdk`. It can omit the
 * extension, and name the cluster or folder of the datastore before it; vSphere finds the disk without these.
 */
function vsphereDisk(handle: string): string {
  return handle
    .trim()
    .replace(
      /^\[(?:[^\]]*\/)?([^\]/]*)\](.*)/s,
      (_, datastore: string, path: string) =>
        `[${datastore}] ${foldersOf(path.trim().replace(/\.vmdk$/i, '')).join('/')}`,
    );
}

const azureFileDriver = 'file.csi.azure.com';
const azureBlobDriver = 'blob.csi.azure.com';

/**
 * Returns the share, or the container of blobs, of a CSI volume. When pods mount it, attributes override the
 * handle, and the account in its Secret overrides both. The drivers require a unique handle for each volume,
 * even of one share. When it is deleted, the driver has only the handle (`GetAccountInfo`, `NodeStageVolume`
 * and `DeleteVolume` of azurefile-csi-driver; `GetContainerInfo`, `GetAuthEnv` and `DeleteVolume` of
 * blob-csi-driver). So a volume that might be deleted, and whose handle and attributes name different shares,
 * might be any share.
 */
function azureStorage(
  driver: string,
  handle: string,
  attributes: Readonly<Record<string, unknown>>,
  secretRef: unknown,
  isDeletable: boolean,
): StorageIdentity {
  const [, account, share] = handle.split('#');
  const isBlob = driver === azureBlobDriver;
  const usedShare = attributeOf(attributes, isBlob ? 'containername' : 'sharename') ?? share;
  if (usedShare === undefined) {
    return ['csi', driver, handle];
  }
  const named =
    attributeOf(attributes, 'storageaccount') ??
    (isBlob ? attributeOf(attributes, 'storageaccountname') : undefined) ??
    account;
  const identity = azureIdentity(driver, mountedAccount(named, attributes, secretRef), usedShare);
  const deleted = share === undefined ? identity : azureIdentity(driver, account, share);
  return isDeletable && !storagesOverlap(identity, deleted) ? ['csi', driver] : identity;
}

/** Undefined if only a Secret or a server names it; the server might belong to any account. */
function mountedAccount(
  account: string | undefined,
  attributes: Readonly<Record<string, unknown>>,
  secretRef: unknown,
): string | undefined {
  if (attributeOf(attributes, 'server') !== undefined) {
    return undefined;
  }
  const named = messageOf(secretRef)?.['name'];
  const secret = isText(named) ? named : attributeOf(attributes, 'secretname');
  return secret === undefined ? account : azureStorageAccountOf(secret);
}

/** The driver of csi-driver-nfs. Volumes of source nfs are of the same storage, so they count as its volumes. */
export const nfsDriver = 'nfs.csi.k8s.io';

/** The server is compared by its name; the address of IPv6 can be in brackets. */
function nfsIdentity(server: string, path: string): StorageIdentity {
  const name = server.toLowerCase();
  return [
    'csi',
    nfsDriver,
    name.includes(':') && !name.startsWith('[') ? `[${name}]` : name,
    ...foldersOf(path),
  ];
}

/** Returns the server, undefined if it is not known, and the folders of a storage of NFS. */
export function nfsFolderOf([kind, driver, server, ...folders]: StorageIdentity):
  { readonly server: string | undefined; readonly path: string } | undefined {
  return kind === 'csi' && driver === nfsDriver ? { server, path: `/${folders.join('/')}` } : undefined;
}

function nfsStorage(
  handle: string,
  attributes: Readonly<Record<string, unknown>>,
  isDeletable: boolean,
): StorageIdentity {
  const server = attributeOf(attributes, 'server');
  const share = attributeOf(attributes, 'share');
  const isMounted = server !== undefined && share !== undefined;
  return servedFolder(nfsDriver, handle, {
    mounted: isMounted ? nfsIdentity(server, `${share}/${subdirOf(attributes)}`) : undefined,
    deleted: nfsFolderInHandle(handle),
    isDeletable,
  });
}

/**
 * Reads `SERVER#SHARE#FOLDER...`, or `SERVER/SHARE/FOLDER` of older releases (`getNfsVolFromID`). Undefined for
 * another handle: the driver deletes nothing by it.
 */
function nfsFolderInHandle(handle: string): StorageIdentity | undefined {
  const parts = handle.split('#');
  const [, server = '', share = '', folder = ''] =
    parts.length < 3 ? (/^([^/]+)\/(.*)\/([^/]+)$/s.exec(handle) ?? []) : ['', ...parts];
  return server === '' || server.includes('/') ? undefined : nfsIdentity(server, `${share}/${folder}`);
}

/** The driver of csi-driver-smb. */
const smbDriver = 'smb.csi.k8s.io';

function smbStorage(
  handle: string,
  attributes: Readonly<Record<string, unknown>>,
  isDeletable: boolean,
): StorageIdentity {
  const source = attributeOf(attributes, 'source');
  // `SOURCE#FOLDER...` (`getSmbVolFromID`); by another handle the driver deletes nothing.
  const [inHandle = '', folder] = handle.split('#');
  return servedFolder(smbDriver, handle, {
    mounted: source === undefined ? undefined : smbIdentity(`${source}/${subdirOf(attributes)}`),
    deleted: folder === undefined ? undefined : smbIdentity(`${inHandle}/${folder}`),
    isDeletable,
  });
}

/**
 * The server is the first of the folders. SMB ignores case. Small letters would not be enough for that, since
 * two of them can have one capital (σ and ς).
 */
function smbIdentity(path: string): StorageIdentity {
  return ['csi', smbDriver, ...foldersOf(path.replaceAll('\\', '/').toLowerCase().toUpperCase())];
}

/** The drivers of ceph-csi; Rook puts its namespace before their names. */
const cephDriver = /(?:^|\.)(?:cephfs|nfs|rbd)\.csi\.ceph\.com$/;

/**
 * Returns the subvolume of CephFS or the image of RBD, by the UUID in its name. It is at the end of a handle
 * that the driver has made, and then the driver reads no other name (`NewVolumeOptionsFromVolID`). Only by
 * such a handle, or by that of a migrated image, it deletes. A volume that a user made has another handle:
 * the name of the image, or any text, and then attribute `rootPath` has the path of the subvolume, after its
 * group, or `share` the handle for which an export was made. Rook documents `rootPath` as the way to use a
 * subvolume in several namespaces.
 */
function cephStorage(
  driver: string,
  handle: string,
  attributes: Readonly<Record<string, unknown>>,
): StorageIdentity {
  const rootPath = attributeOf(attributes, 'rootpath');
  const [, , subvolume = ''] = rootPath === undefined ? [] : foldersOf(rootPath);
  const name = rootPath === undefined ? (attributeOf(attributes, 'share') ?? handle) : subvolume;
  const [uuid = handle] = isMadeByCeph(handle)
    ? [handle.slice(-36)]
    : (/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=[/_]|$)/.exec(name) ?? []);
  return ['csi', driver, uuid];
}

/** The second part is the length of the third, the cluster; all others have fixed lengths (`DecomposeCSIID`). */
function isMadeByCeph(handle: string): boolean {
  const [, length = ''] = /^[\da-f]{4}-([\da-f]{4})-.*-[\da-f]{16}-[\da-f-]{36}$/s.exec(handle) ?? [];
  return handle.length === Number.parseInt(length, 16) + 64;
}

/** The drivers of manila-csi-plugin, one for each protocol. */
const manilaDriver = /(?:^|\.)manila\.csi\.openstack\.org$/;

/**
 * Pods mount the share with the ID in attribute `shareID` (`buildVolumeContext`). The one with the ID in the handle is
 * deleted (`DeleteVolume`). A share that only attribute `shareName` names is not known by its ID.
 */
function manilaStorage(
  driver: string,
  handle: string,
  attributes: Readonly<Record<string, unknown>>,
  isDeletable: boolean,
): StorageIdentity {
  const identityOf = (id: string | undefined): StorageIdentity | undefined =>
    id === undefined ? undefined : ['csi', driver, id.toLowerCase()];
  return servedFolder(driver, handle, {
    mounted: identityOf(attributeOf(attributes, 'shareid')),
    // By a handle of another form nothing is deleted.
    deleted: identityOf(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.exec(handle)?.[0]),
    isDeletable,
  });
}

/** Without a value, or with a template, it might be any folder of the share. */
function subdirOf(attributes: Readonly<Record<string, unknown>>): string {
  return attributeOf(attributes, 'subdir') ?? '';
}

/**
 * Returns the folder of a volume of csi-driver-nfs or csi-driver-smb, or the share of one of manila-csi-plugin. Pods
 * mount what the attributes say. The handle, which is unique for each volume, even over one folder, says what is
 * deleted (`NodePublishVolume`, `NodeStageVolume` and `DeleteVolume`). So a volume that might be deleted is the outer
 * one of the two folders, or any if they do not overlap.
 */
function servedFolder(
  driver: string,
  handle: string,
  {
    mounted,
    deleted,
    isDeletable,
  }: {
    readonly mounted: StorageIdentity | undefined;
    readonly deleted: StorageIdentity | undefined;
    readonly isDeletable: boolean;
  },
): StorageIdentity {
  if (mounted === undefined || deleted === undefined) {
    return mounted ?? deleted ?? ['csi', driver, handle];
  }
  if (!isDeletable) {
    return mounted;
  }
  if (!storagesOverlap(mounted, deleted)) {
    return ['csi', driver];
  }
  return deleted.length < mounted.length ? deleted : mounted;
}

/** In lower case, since the drivers ignore the case of an attribute's name. */
const azureFileAttributes = ['storageaccount', 'sharename', 'secretname', 'server'] as const;
const azureBlobAttributes = [
  'storageaccount',
  'storageaccountname',
  'containername',
  'secretname',
  'server',
] as const;
const nfsAttributes = ['server', 'share', 'subdir'] as const;
const smbAttributes = ['source', 'subdir'] as const;
const cephAttributes = ['rootpath', 'share'] as const;
const manilaAttributes = ['shareid'] as const;
const knownAttributes: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [azureFileDriver, azureFileAttributes],
  [azureBlobDriver, azureBlobAttributes],
  [nfsDriver, nfsAttributes],
  [smbDriver, smbAttributes],
]);

/**
 * Returns the attributes of a CSI volume that its identity depends on; undefined if it depends on none of them
 * nor on a Secret.
 */
export function storageAttributesOf(
  driver: string,
  attributes: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const isCeph = cephDriver.test(driver);
  const known: readonly string[] | undefined = isCeph
    ? cephAttributes
    : manilaDriver.test(driver)
      ? manilaAttributes
      : knownAttributes.get(driver);
  if (known === undefined) {
    return undefined;
  }
  const kept = Object.entries(attributes).filter(([name]) => known.includes(name.toLowerCase()));
  return isCeph && kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** A value with a template counts as absent, because the handle has the actual value. */
function attributeOf(
  attributes: Readonly<Record<string, unknown>>,
  name: (
    | typeof azureFileAttributes
    | typeof azureBlobAttributes
    | typeof nfsAttributes
    | typeof smbAttributes
    | typeof cephAttributes
    | typeof manilaAttributes
  )[number],
): string | undefined {
  const [, value] = Object.entries(attributes).find(([key]) => key.toLowerCase() === name) ?? [];
  return isText(value) && value !== '' && !value.includes('${') ? value : undefined;
}

/**
 * A share is identified by its name and its account, whose name is unique in all of Azure; the rest of a
 * handle differs from volume to volume. An account that only a Secret names might be any. After the name of a
 * share follows the folder of it that is mounted; the driver deletes whole shares.
 */
function azureIdentity(driver: string, account: string | undefined, path: string): StorageIdentity {
  const [share = ''] = foldersOf(path.toLowerCase());
  const identity = ['csi', driver, share];
  return account === undefined || account === '' ? identity : [...identity, account.toLowerCase()];
}

function handleOr(fallback: string, handleOf: () => string): string {
  try {
    return handleOf();
  } catch {
    return fallback;
  }
}
