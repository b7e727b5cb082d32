import type { PersistentVolume } from '@holdfast/core';
import { azureStorageAccountOf, csiVolumeOf, gceHandle } from './csi-migration.ts';

/*
 * The one place that says what storage a volume is, and which storages overlap. Finding the volumes that stand in a deletion's way
 * and keeping two deletions apart both go by it. It judges the text of the objects; what links and mounts make of a folder is for
 * the deletion itself to look at, in in-tree/.
 */

/**
 * What storage a volume is, as steps from the whole to the part: a kind of storage, then a driver or server, then a handle, or the
 * names of folders. One storage has one identity however it is spelled, and an identity that begins with all the steps of another
 * is that storage or a part of it.
 */
export type StorageIdentity = readonly string[];

/**
 * The identity of the volume's storage; undefined when its source is of a kind that is not known here, or names no storage.
 *
 * | source                                | identity                                                     |
 * |---------------------------------------|--------------------------------------------------------------|
 * | hostPath, local                       | the folders of the path, whichever node it is on             |
 * | nfs                                   | the server in lower case, the folders of the path            |
 * | CSI, or in-tree that can be migrated  | the driver, and what its handle says without what may differ |
 */
export function storageIdentityOf(volume: PersistentVolume): StorageIdentity | undefined {
  const { spec } = volume;
  const path = folderPathOf(volume);
  if (path !== undefined) {
    // Nodes are not told apart: a hostPath is on every node, and that of this process is not known.
    return ['folder', ...foldersOf(path)];
  }
  if (spec?.nfs !== undefined) {
    return ['nfs', spec.nfs.server.toLowerCase(), ...foldersOf(spec.nfs.path)];
  }
  if (spec?.gcePersistentDisk !== undefined) {
    return gceIdentity(handleOr(`disks/${spec.gcePersistentDisk.pdName}`, () => gceHandle(volume)));
  }
  if (spec?.azureFile !== undefined) {
    return azureFileIdentity(azureStorageAccountOf(spec.azureFile.secretName), spec.azureFile.shareName);
  }
  try {
    const { driver, handle } = csiVolumeOf(volume);
    return handle === '' ? undefined : csiIdentityOf(driver, handle);
  } catch {
    return undefined;
  }
}

/** The path of a volume that is a folder of its node; undefined: it is another kind of volume. */
export function folderPathOf({ spec }: PersistentVolume): string | undefined {
  return spec?.hostPath?.path ?? spec?.local?.path;
}

/** Whether one storage is the other, or one is a part of the other. */
export function storagesOverlap(one: StorageIdentity, other: StorageIdentity): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  return shorter.every((step, at) => step === longer[at]);
}

/** Whether the storages of two volumes overlap, as far as they are known. */
export function volumesOverlap(one: PersistentVolume, other: PersistentVolume): boolean {
  const [a, b] = [storageIdentityOf(one), storageIdentityOf(other)];
  return a !== undefined && b !== undefined && storagesOverlap(a, b);
}

/** The names on the way to a folder; `.`, `..` and needless slashes are resolved as text, and a relative path is one below `/`. */
function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') {
      folders.pop();
    } else if (name !== '' && name !== '.') {
      folders.push(name);
    }
  }
  return folders;
}

/** The identity of what a driver knows by a handle. */
export function csiIdentityOf(driver: string, handle: string): StorageIdentity {
  switch (driver) {
    case 'pd.csi.storage.gke.io':
      return gceIdentity(handle);
    case 'disk.csi.azure.com':
      // Azure's resource identifiers are equal in whatever case they are written.
      return ['csi', driver, handle.toLowerCase()];
    case 'file.csi.azure.com': {
      const [, account, share] = handle.split('#');
      return account === undefined || share === undefined
        ? ['csi', driver, handle]
        : azureFileIdentity(account, share);
    }
    default:
      return ['csi', driver, handle];
  }
}

/**
 * A disk is known by its name and its zone or region. The project is left out, and so is a zone that is not specified, because a
 * migrated volume does not have them: the disk in any zone then counts as the same.
 */
function gceIdentity(handle: string): StorageIdentity {
  const driver = 'pd.csi.storage.gke.io';
  const { location, disk } =
    /^(?:projects\/[^/]*\/(?:zones|regions)\/(?<location>[^/]*)\/)?disks\/(?<disk>.+)$/.exec(handle)
      ?.groups ?? {};
  if (disk === undefined) {
    return ['csi', driver, handle];
  }
  return location === undefined || location === 'UNSPECIFIED'
    ? ['csi', driver, disk]
    : ['csi', driver, disk, location];
}

/** A share is known by its account, whose name is unique in all of Azure; the rest of a handle differs from volume to volume. */
function azureFileIdentity(account: string, share: string): StorageIdentity {
  return ['csi', 'file.csi.azure.com', account.toLowerCase(), share.toLowerCase()];
}

function handleOr(fallback: string, handleOf: () => string): string {
  try {
    return handleOf();
  } catch {
    return fallback;
  }
}
