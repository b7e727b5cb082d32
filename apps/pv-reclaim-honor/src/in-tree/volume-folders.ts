import type { FileHandle } from 'node:fs/promises';
import type { PersistentVolume } from '@holdfast/core';
import { askedTogether } from '@holdfast/runtime';
import type { UnreadableVolume } from '../decide/snapshot.ts';
import {
  folderPathOf,
  nfsFolderOf,
  storageIdentityOf,
  storagesOverlap,
  type StorageIdentity,
} from '../storage-identity.ts';
import { unreadable } from '../unreadable-volume.ts';
import type { FileCalls } from './file-calls.ts';
import { bytesOf } from './open-folder.ts';
import { placeOf, placesOverlap, placesShownAt, type Place, type Shown } from './place.ts';

/** A volume that is a folder, of a node or of an NFS server, and overlaps another one. */
export interface VolumeFolder {
  readonly volume: PersistentVolume;
  /** Undefined if it cannot be read; then it might be any folder. */
  readonly path: string | undefined;
  /** An error if it is not known whether it overlaps. */
  readonly overlaps: true | Error;
  /** What cannot be read of the volume; undefined if all of it can. */
  readonly unreadable?: UnreadableVolume | undefined;
}

/** A folder whose place is to be found. */
interface Candidate {
  readonly volume: PersistentVolume;
  readonly path: string;
  readonly storage: StorageIdentity;
}

/** A volume that is a folder of an NFS server. */
interface Served {
  readonly volume: PersistentVolume;
  /** Undefined if it cannot be read; then it might be any server. */
  readonly server: string | undefined;
  readonly path: string;
}

/**
 * Finds the folders of all hostPath and local volumes, and of volumes of NFS servers, since a hostPath might be
 * in an NFS mount of its node. Callers at the same time share one search, which
 * always begins after they asked. Each volume is treated as one of this node.
 *
 * @param list yields all volumes, at their newest state.
 * @param placeOfOpen returns the place of an open folder. Default: by the mount table.
 * @returns a function of a volume and its folder, which stays open meanwhile. It returns the volumes whose
 *   path is, by its text, that of the volume, within it or around it; those that show what the open folder
 *   shows, a part of it, or what is around it; and those for which this is not known. It throws what `list`
 *   throws, and NoTurnError.
 */
export function createVolumeFolders(
  list: () => AsyncIterable<PersistentVolume>,
  calls: FileCalls,
  placeOfOpen: (folder: FileHandle) => Place | Error = placeOf,
): (folder: FileHandle, volume: PersistentVolume) => Promise<readonly VolumeFolder[]> {
  const open = new Set<FileHandle>();
  const ask = askedTogether(async () => {
    const candidates: Candidate[] = [];
    const onServers: Served[] = [];
    const anywhere: VolumeFolder[] = [];
    for await (const volume of list()) {
      const storage = storageIdentityOf(volume);
      const path = folderPathOf(volume);
      if (storage !== undefined && storagesOverlap(storage, ['folder'])) {
        if (path === undefined) {
          anywhere.push({ volume, path, overlaps: new Error("it can't be read") });
        } else {
          candidates.push({ volume, path, storage });
        }
      } else {
        const served = storage && nfsFolderOf(storage);
        if (served !== undefined) {
          onServers.push({ volume, ...served });
        }
      }
    }
    const shown = await placesShownAt(
      candidates.map(({ path }) => path),
      open,
      calls,
    );
    return { candidates, shown, anywhere, onServers };
  });
  return async (folder, volume) => {
    open.add(folder);
    try {
      const { candidates, shown, anywhere, onServers } = await ask();
      const own = storageIdentityOf(volume) ?? [];
      const found = candidates.flatMap(({ volume: other, path, storage }, at): readonly VolumeFolder[] => {
        const overlaps = overlap(folder, shown[at]);
        return overlaps !== false
          ? [{ volume: other, path, overlaps }]
          : storagesOverlap(own, storage)
            ? [{ volume: other, path, overlaps: true }]
            : [];
      });
      const place = onServers.length === 0 ? undefined : placeOfOpen(folder);
      const served = onServers.flatMap((each): readonly VolumeFolder[] => {
        const overlaps = overlapOnServer(place, each);
        return overlaps === false ? [] : [{ volume: each.volume, path: each.path, overlaps }];
      });
      return [...anywhere, ...found, ...served].map((each) => ({
        ...each,
        unreadable: unreadable(each.volume),
      }));
    } finally {
      open.delete(folder);
    }
  };
}

function overlap(folder: FileHandle, shown: Shown | undefined): boolean | Error {
  const own = shown?.open.get(folder);
  if (shown === undefined || own === undefined) {
    return new Error('not looked for');
  }
  const { places } = shown;
  if (places instanceof Error) {
    return places;
  }
  return own instanceof Error ? own : places.some((each) => placesOverlap(own, each));
}

function overlapOnServer(place: Place | Error | undefined, { server, path }: Served): boolean | Error {
  if (place === undefined || place instanceof Error) {
    return place ?? false;
  }
  if (place.server === undefined) {
    return false;
  }
  return server === undefined
    ? new Error("its server can't be read")
    : placesOverlap(place, { device: '', server, path: bytesOf(path) });
}
