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
 */
export interface UncachedVolumes {
  /** Those of them whose storage overlaps that of a volume. @throws what `list` throws. */
  over(volume: PersistentVolume): Promise<readonly ObjectKey[]>;
  /** The cache has dropped a volume, which might be there, and not be readable any more. A list that found it in the cache says nothing of it. */
  dropped(volume: PersistentVolume): void;
}

/** A list, and what the cache does not have of it. */
interface Listing {
  readonly begun: number;
  readonly uncached: PersistentVolume[];
}

export function createUncachedVolumes({ list, cache, clock }: UncachedVolumesOptions): UncachedVolumes {
  let last: Listing | undefined;
  let underWay: Listing | undefined;
  const young = (): Listing | undefined =>
    last !== undefined && clock.now() - last.begun < listAge ? last : undefined;

  const ask = askedTogether(async () => {
    const listing: Listing = { begun: clock.now(), uncached: [] };
    underWay = listing;
    try {
      for await (const volume of list()) {
        const cached = cache.get(objectKey(volume));
        if (cached?.metadata.resourceVersion !== volume.metadata.resourceVersion) {
          listing.uncached.push(volume);
        }
      }
    } finally {
      underWay = undefined;
    }
    last = listing;
    return listing;
  });

  return {
    over: async (volume) => {
      if (folderPathOf(volume) !== undefined) {
        // Before a folder is deleted all volumes are listed for where their folders are.
        return [];
      }
      const { uncached } = young() ?? (await ask());
      return (
        uncached
          // Not by its name, which another might have taken since the volume was looked at.
          .filter((each) => each.metadata.uid !== volume.metadata.uid && volumesOverlap(volume, each))
          .map(objectKey)
      );
    },
    dropped: (volume) => {
      for (const listing of [underWay, young()]) {
        listing?.uncached.push(volume);
      }
    },
  };
}
