import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import { askedTogether, type Clock, type Store } from '@holdfast/runtime';
import {
  folderPathOf,
  storageIdentityOf,
  storagesOverlap,
  type StorageIdentity,
} from '../storage-identity.ts';

/**
 * How old a list of all volumes can be, in milliseconds: a second, or five times as long as the list took if
 * that is longer, up to ten seconds. In a large or slow cluster, lists that are valid for a second would
 * follow one another without a pause, each for the few volumes that could be deleted in between: the time to
 * delete 50,000 would grow with the square of their number. The watch reports a volume that was created
 * since, unless the watch is silent.
 */
const listAge = { least: 1_000, ofDuration: 5, most: 10_000 } as const;

export interface UncachedVolumesOptions {
  /** Yields all volumes, at their newest state. */
  readonly list: () => AsyncIterable<PersistentVolume>;
  readonly cache: Pick<Store<PersistentVolume>, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Finds the volumes that the cache lacks, from lists of all volumes, since they cannot be selected by their
 * storage. A list serves all callers that wait for it to begin, and all that ask until it is too old. Only
 * what the cache does not have in the same version is kept of it: next to nothing while the watch works.
 */
export interface UncachedVolumes {
  /**
   * Returns those whose storage overlaps that of a volume; if several have one name, the last counts.
   *
   * @throws what `list` throws.
   */
  over(volume: PersistentVolume): Promise<readonly UncachedVolume[]>;
  /**
   * Records that the cache has dropped a volume, which might exist and no longer be readable. A list that
   * found it in the cache does not show it.
   */
  dropped(volume: PersistentVolume): void;
}

export interface UncachedVolume {
  readonly key: ObjectKey;
  /** The volume in the list; undefined if the cache has dropped it since. */
  readonly listed: PersistentVolume | undefined;
}

/** A list: what the cache lacks of it, and what the cache has dropped since. */
interface Listing {
  readonly begun: number;
  readonly uncached: Placed[];
  readonly dropped: Placed[];
}

/** A volume and its storage, which is computed once because thousands of callers might ask for it. */
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
        // Before a folder is deleted, all volumes are listed for the places of their folders.
        return [];
      }
      const { uncached, dropped } = young() ?? (await ask());
      const storage = storageIdentityOf(volume);
      if (storage === undefined) {
        return [];
      }
      const isOver = (other: Placed): boolean =>
        // Compares UIDs, since another volume might have taken its name since the volume was looked at.
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

/** The UID matters too: versions are assigned a second time if etcd was restored from a backup. */
function isSameState(cached: PersistentVolume | undefined, { metadata }: PersistentVolume): boolean {
  return (
    cached?.metadata.uid === metadata.uid && cached.metadata.resourceVersion === metadata.resourceVersion
  );
}

function placed(volume: PersistentVolume): Placed {
  return { volume, storage: storageIdentityOf(volume) };
}
