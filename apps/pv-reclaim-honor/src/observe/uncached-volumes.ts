import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import type { Clock, Store } from '@holdfast/runtime';
import { askedTogether } from '../asked-together.ts';
import { folderPathOf, volumesOverlap } from '../storage-identity.ts';

/**
 * How old a list of all volumes may be, milliseconds. It bounds the lists that many deletions make; a volume that was made since is seen by the
 * watch, unless that is silent.
 */
const listAge = 1_000;

export interface UncachedVolumesOptions {
  /** All volumes, at their newest state. */
  readonly list: () => AsyncIterable<PersistentVolume>;
  readonly cache: Pick<Store<PersistentVolume>, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Finds the volumes that the cache does not have, by lists of all volumes, since they can't be selected by their storage. A list
 * serves all who wait for it to begin, and all who ask until it is a second old. What is kept of it is what the cache does not have in the same version: next to nothing while its
 * watch works.
 *
 * @returns a function that answers with those of them whose storage overlaps that of a volume, and throws what `list` throws.
 */
export function createUncachedVolumes({
  list,
  cache,
  clock,
}: UncachedVolumesOptions): (volume: PersistentVolume) => Promise<readonly ObjectKey[]> {
  let last: { readonly begun: number; readonly uncached: readonly PersistentVolume[] } | undefined;

  const ask = askedTogether(async () => {
    const begun = clock.now();
    const uncached: PersistentVolume[] = [];
    for await (const volume of list()) {
      const cached = cache.get(objectKey(volume));
      if (cached?.metadata.resourceVersion !== volume.metadata.resourceVersion) {
        uncached.push(volume);
      }
    }
    last = { begun, uncached };
    return uncached;
  });

  return async (volume) => {
    if (folderPathOf(volume) !== undefined) {
      // Before a folder is deleted all volumes are listed for where their folders are.
      return [];
    }
    const young = last !== undefined && clock.now() - last.begun < listAge ? last.uncached : undefined;
    return (
      (young ?? (await ask()))
        // Not by its name, which another might have taken since the volume was looked at.
        .filter((each) => each.metadata.uid !== volume.metadata.uid && volumesOverlap(volume, each))
        .map(objectKey)
    );
  };
}
