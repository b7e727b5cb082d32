import type { PersistentVolume } from '@holdfast/core';
import { csiVolumeOf } from './csi-migration.ts';
import { folderPathOf } from './storage-identity.ts';

/**
 * Returns what to look for on the storage system, as the volume states it: `storageIdentityOf` leaves out
 * what might differ.
 */
export function storageNameOf(volume: PersistentVolume): string {
  const path = folderPathOf(volume);
  if (path !== undefined) {
    return `folder ${JSON.stringify(path)}`;
  }
  const { nfs } = volume.spec ?? {};
  if (nfs !== undefined) {
    return `folder ${JSON.stringify(nfs.path)} of NFS server ${nfs.server}`;
  }
  try {
    const { driver, handle } = csiVolumeOf(volume);
    return `driver ${driver}, handle ${JSON.stringify(handle)}`;
  } catch {
    return 'see its source';
  }
}
