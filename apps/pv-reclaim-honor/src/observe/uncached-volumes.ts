import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import type { Clock, Store } from '@holdfast/runtime';
import { askedTogether } from '../asked-together.ts';
import {
  folderPathOf,
  storageIdentityOf,
  storagesOverlap,
  type StorageIdentity,
} from '../storage-identity.ts';

/**
 * How old a list of all volumes may be, milliseconds: a second, or five times what it took where that is longer, up to ten seconds. In a large or slow cluster
 * lists that serve for a second follow one another without a pause, each for the few volumes that could be deleted in between: the deletion of 50,000 would take the
 * square of what it should. A volume that was made since is seen by the watch, unless that is silent.
 */
const listAge = { least: 1_000, ofDuration: 5, most: 10_000 } as const;

export interface UncachedVolumesOptions {
  /** All volumes, at their newest state. */
  readonly list: () => AsyncIterable<PersistentVolume>;
  readonly cache: Pick<Store<PersistentVolume>, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Finds the volumes that the cache does not have, by lists of all volumes, since they can't be selected by their storage. A list
 * serves all who wait for it to begin, and all who ask until it is too old. What is kept of it is what the cache does not have in the same version: next to nothing while its
 * watch works.
 */
export interface UncachedVolumes {
  /** Those of them whose storage overlaps that of a volume; the last of one name counts. @throws what `list` throws. */
  over(volume: PersistentVolume): Promise<readonly UncachedVolume[]>;
  /** The cache has dropped a volume, which might be there, and not be readable any more. A list that found it in the cache says nothing of it. */
  dropped(volume: PersistentVolume): void;
}

export interface UncachedVolume {
  readonly key: ObjectKey;
  /** As the list has it; undefined: the cache has dropped it since. */
  readonly listed: PersistentVolume | undefined;
}

/** A list, what the cache does not have of it, and what the cache has dropped since. */
interface Listing {
  readonly begun: number;
  readonly uncached: Placed[];
  readonly dropped: Placed[];
}

/** A volume, and where it stores; thousands might ask about it. */
interface Placed {
  readonly volume: PersistentVolume;
  readonly storage: StorageIdentity | undefined;
}

export function createUncachedVolumes({ list, cache, clock }: UncachedVolumesOptions): UncachedVolumes {
  let last: (Listing & { readonly serves: number }) | undefined;
  let underWay: Listing | undefined;
  const young = (): Listing | undefined =>
    last !== undefined && clock.now() - last.begun < last.serves ? last : undefined;

  const ask = askedTogether(async () => {
    const listing: Listing = { begun: clock.now(), uncached: [], dropped: [] };
    underWay = listing;
    try {
      for await (const volume of list()) {
        if (!isSameState(cache.get(objectKey(volume)), volume)) {
          listing.uncached.push(placed(volume));
        }
      }
    } finally {
      underWay = undefined;
    }
    const took = clock.now() - listing.begun;
    const serves = Math.min(Math.max(listAge.least, took * listAge.ofDuration), listAge.most);
    last = { ...listing, serves };
    return listing;
  });

  return {
    over: async (volume) => {
      if (folderPathOf(volume) !== undefined) {
        // Before a folder is deleted all volumes are listed for where their folders are.
        return [];
      }
      const { uncached, dropped } = young() ?? (await ask());
      const storage = storageIdentityOf(volume);
      if (storage === undefined) {
        return [];
      }
      const isOver = (other: Placed): boolean =>
        // Not by its name, which another might have taken since the volume was looked at.
        other.volume.metadata.uid !== volume.metadata.uid &&
        other.storage !== undefined &&
        storagesOverlap(storage, other.storage);
      return [
        ...dropped.filter(isOver).map((each) => ({ key: objectKey(each.volume), listed: undefined })),
        ...uncached.filter(isOver).map((each) => ({ key: objectKey(each.volume), listed: each.volume })),
      ];
    },
    dropped: (volume) => {
      for (const listing of [underWay, young()]) {
        listing?.dropped.push(placed(volume));
      }
    },
  };
}

/** By the UID as well: versions are given a second time where etcd was restored from a backup. */
function isSameState(cached: PersistentVolume | undefined, { metadata }: PersistentVolume): boolean {
  return (
    cached?.metadata.uid === metadata.uid && cached.metadata.resourceVersion === metadata.resourceVersion
  );
}

function placed(volume: PersistentVolume): Placed {
  return { volume, storage: storageIdentityOf(volume) };
}
