import type { PersistentVolume } from '@holdfast/core';
import { askedTogether } from '../asked-together.ts';
import { folderPathOf } from '../storage-identity.ts';
import type { FileCalls } from './file-calls.ts';
import { placesShownAt, type Place } from './place.ts';

/** A volume that is a folder. */
export interface VolumeFolder {
  readonly volume: PersistentVolume;
  readonly path: string;
  /** Where it really is, and what is mounted below; an error: that is not known. */
  readonly places: readonly Place[] | Error;
}

/**
 * Finds the folders of all hostPath and local volumes, once for all callers at the same time, and always after the question. Each
 * volume is taken for one of this node.
 *
 * @param list all volumes, at their newest state.
 * @returns a function that throws what `list` throws.
 */
export function createVolumeFolders(
  list: () => AsyncIterable<PersistentVolume>,
  calls: FileCalls,
): () => Promise<readonly VolumeFolder[]> {
  return askedTogether(async () => {
    const folders: { readonly volume: PersistentVolume; readonly path: string }[] = [];
    for await (const volume of list()) {
      const path = folderPathOf(volume);
      if (path !== undefined) {
        folders.push({ volume, path });
      }
    }
    const places = await placesShownAt(
      folders.map(({ path }) => path),
      calls,
    );
    return folders.map((folder, at) => ({ ...folder, places: places[at] ?? new Error('not looked for') }));
  });
}
