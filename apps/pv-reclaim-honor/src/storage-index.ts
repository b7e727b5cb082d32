import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import { storageIdentityOf, type StorageIdentity } from './storage-identity.ts';

/**
 * Volumes by their storage, and which of them need it, so that those over one storage, wholly or in part, are found without a look at the
 * others. A change costs by the length of an identity, however many volumes have it.
 */
export interface StorageIndex {
  /**
   * Puts the volume where its storage is, and takes it from where it was.
   *
   * @param needsStorage the storage must stay for the sake of this volume.
   * @returns those that overlap, do not need their storage, and are held up by none any more because this one no longer holds them up.
   */
  set(volume: PersistentVolume, needsStorage: boolean): readonly ObjectKey[];
  /** @returns as `set` does. */
  delete(key: ObjectKey): readonly ObjectKey[];
  /** Some of the other volumes that overlap and need their storage, at most `limit`; none only if there are none. */
  neededBy(volume: PersistentVolume, limit: number): readonly ObjectKey[];
  /** The other volumes over storage that overlaps the volume's, itself indexed or not; costs by their number. */
  overlapping(volume: PersistentVolume): readonly ObjectKey[];
  /** Whether there is a volume over storage that overlaps this one. */
  hasVolumeOver(storage: StorageIdentity): boolean;
}

/** A step of an identity: the volumes that are it, and the steps to its parts. */
interface Place {
  readonly needing: Set<ObjectKey>;
  readonly others: Set<ObjectKey>;
  /** Undefined until there are any: most storages have no parts. */
  parts: Map<string, Place> | undefined;
  /** Those of the parts in which there is a volume that needs its storage. */
  needyParts: Map<string, Place> | undefined;
}

interface Entry {
  readonly steps: StorageIdentity;
  readonly needsStorage: boolean;
}

export function createStorageIndex(): StorageIndex {
  const whole = newPlace();
  const entries = new Map<ObjectKey, Entry>();

  /** The places on the way to a storage, as far as there are any; its own is the last if all of its steps are there. */
  const placesTo = (steps: StorageIdentity): readonly Place[] => {
    const places = [whole];
    for (const step of steps) {
      const next = places.at(-1)?.parts?.get(step);
      if (next === undefined) {
        break;
      }
      places.push(next);
    }
    return places;
  };

  const add = (key: ObjectKey, { steps, needsStorage }: Entry): void => {
    const places = [whole];
    let place = whole;
    for (const step of steps) {
      place.parts ??= new Map();
      const next = place.parts.get(step) ?? newPlace();
      place.parts.set(step, next);
      places.push(next);
      place = next;
    }
    (needsStorage ? place.needing : place.others).add(key);
    tidy(places, steps);
  };

  const remove = (key: ObjectKey, { steps }: Entry): void => {
    const places = placesTo(steps);
    places.at(-1)?.needing.delete(key);
    places.at(-1)?.others.delete(key);
    tidy(places, steps);
  };

  /** The volumes that overlap the storage and are held up by none. */
  const freeOver = (steps: StorageIdentity): readonly ObjectKey[] => {
    const places = placesTo(steps);
    const free: ObjectKey[] = [];
    for (const place of places) {
      if (place.needing.size > 0) {
        // This holds up itself, all above it and all within it.
        return [];
      }
      if (!isNeedy(place)) {
        place.others.forEach((key) => free.push(key));
      }
    }
    const own = places[steps.length];
    const within = [...(own?.parts?.values() ?? [])];
    for (let place = within.pop(); place !== undefined; place = within.pop()) {
      if (place.needing.size === 0) {
        if (!isNeedy(place)) {
          place.others.forEach((key) => free.push(key));
        }
        place.parts?.forEach((part) => within.push(part));
      }
    }
    return free;
  };

  const put = (key: ObjectKey, entry: Entry | undefined): readonly ObjectKey[] => {
    const before = entries.get(key);
    if (before !== undefined) {
      if (entry !== undefined && isSame(before, entry)) {
        return [];
      }
      entries.delete(key);
      remove(key, before);
    }
    if (entry !== undefined) {
      entries.set(key, entry);
      add(key, entry);
    }
    return before?.needsStorage === true ? freeOver(before.steps).filter((each) => each !== key) : [];
  };

  return {
    set: (volume, needsStorage) => {
      const steps = storageIdentityOf(volume);
      return put(objectKey(volume), steps === undefined ? undefined : { steps, needsStorage });
    },
    delete: (key) => put(key, undefined),
    neededBy: (volume, limit) => {
      const steps = storageIdentityOf(volume);
      if (steps === undefined) {
        return [];
      }
      const places = placesTo(steps);
      const key = objectKey(volume);
      const found: ObjectKey[] = [];
      const take = ({ needing }: Place): void => {
        for (const each of needing) {
          if (found.length === limit) {
            return;
          }
          if (each !== key) {
            found.push(each);
          }
        }
      };
      places.slice(0, steps.length).forEach(take);
      const within = [places[steps.length]];
      for (let place = within.pop(); place !== undefined && found.length < limit; place = within.pop()) {
        take(place);
        within.push(...first(place.needyParts?.values() ?? [], limit));
      }
      return found;
    },
    overlapping: (volume) => {
      const steps = storageIdentityOf(volume);
      if (steps === undefined) {
        return [];
      }
      const places = placesTo(steps);
      const own = places[steps.length];
      return [...places.slice(0, steps.length), ...(own === undefined ? [] : placesWithin(own))]
        .flatMap(({ needing, others }) => [...needing, ...others])
        .filter((key) => key !== objectKey(volume));
    },
    hasVolumeOver: (storage) => {
      const places = placesTo(storage);
      // A place that is there has a volume, be it in one of its parts.
      return (
        places.length > storage.length || places.some(({ needing, others }) => needing.size + others.size > 0)
      );
    },
  };
}

function newPlace(): Place {
  return { needing: new Set(), others: new Set(), parts: undefined, needyParts: undefined };
}

/** Whether any volume at the place or within it needs its storage. */
function isNeedy({ needing, needyParts }: Place): boolean {
  return needing.size > 0 || (needyParts?.size ?? 0) > 0;
}

function isEmpty({ needing, others, parts }: Place): boolean {
  return needing.size === 0 && others.size === 0 && (parts?.size ?? 0) === 0;
}

/** From a place that has changed up to the whole: enters it as needy where it is, and takes out what is empty. */
function tidy(places: readonly Place[], steps: StorageIdentity): void {
  for (let at = places.length - 1; at > 0; at--) {
    const [above, place, step] = [places[at - 1], places[at], steps[at - 1]];
    if (above === undefined || place === undefined || step === undefined) {
      return;
    }
    if (isNeedy(place)) {
      above.needyParts ??= new Map();
      above.needyParts.set(step, place);
    } else {
      above.needyParts?.delete(step);
    }
    if (isEmpty(place)) {
      above.parts?.delete(step);
    }
  }
}

function isSame(one: Entry, other: Entry): boolean {
  return (
    one.needsStorage === other.needsStorage &&
    one.steps.length === other.steps.length &&
    one.steps.every((step, at) => step === other.steps[at])
  );
}

/** The place and all below it. */
function placesWithin(place: Place): readonly Place[] {
  const places = [place];
  // The list grows while it is walked.
  for (const each of places) {
    each.parts?.forEach((part) => places.push(part));
  }
  return places;
}

function first<T>(values: Iterable<T>, limit: number): readonly T[] {
  const taken: T[] = [];
  for (const value of values) {
    if (taken.length === limit) {
      break;
    }
    taken.push(value);
  }
  return taken;
}
