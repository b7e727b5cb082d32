import type { FileHandle } from 'node:fs/promises';
import type { PersistentVolume } from '@holdfast/core';
import { askedTogether } from '../asked-together.ts';
import { folderPathOf } from '../storage-identity.ts';
import type { FileCalls } from './file-calls.ts';
import { placesOverlap, placesShownAt, type Shown } from './place.ts';

/** A volume that is a folder. */
export interface VolumeFolder {
  readonly volume: PersistentVolume;
  readonly path: string;
  /** Whether its path shows what a folder that is open shows, or a part of it, or what is around it; an error: that is not known. */
  readonly overlaps: boolean | Error;
}

/**
 * Finds the folders of all hostPath and local volumes, once for all callers at the same time, and always after the question. Each
 * volume is taken for one of this node.
 *
 * @param list all volumes, at their newest state.
 * @returns a function of a folder that stays open meanwhile; it throws what `list` throws.
 */
export function createVolumeFolders(
  list: () => AsyncIterable<PersistentVolume>,
  calls: FileCalls,
): (folder: FileHandle) => Promise<readonly VolumeFolder[]> {
  const open = new Set<FileHandle>();
  const ask = askedTogether(async () => {
    const folders: { readonly volume: PersistentVolume; readonly path: string }[] = [];
    for await (const volume of list()) {
      const path = folderPathOf(volume);
      if (path !== undefined) {
        folders.push({ volume, path });
      }
    }
    const shown = await placesShownAt(
      folders.map(({ path }) => path),
      open,
      calls,
    );
    return folders.map((folder, at) => ({ ...folder, shown: shown[at] }));
  });
  return async (folder) => {
    open.add(folder);
    try {
      return (await ask()).map(({ volume, path, shown }) => ({
        volume,
        path,
        overlaps: shown === undefined ? new Error('not looked for') : overlap(folder, shown),
      }));
    } finally {
      open.delete(folder);
    }
  };
}

function overlap(folder: FileHandle, { places, open }: Shown): boolean | Error {
  const own = open.get(folder) ?? new Error('not looked for');
  if (places instanceof Error) {
    return places;
  }
  return own instanceof Error ? own : places.some((each) => placesOverlap(own, each));
}
