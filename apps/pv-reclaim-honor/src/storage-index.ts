import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import { storageIdentityOf, type StorageIdentity } from './storage-identity.ts';

/**
 * Indexes volumes by their storage, and which of them need it, so that volumes that share storage, in whole
 * or in part, are found without looking at the others. The cost of a change depends on the length of an
 * identity, not on how many volumes have it.
 */
export interface StorageIndex {
  /**
   * Enters the volume at its storage, and removes it from where it was.
   *
   * @param needsStorage whether the storage must stay because of this volume.
   * @returns the overlapping volumes that do not need their storage, and that no volume holds up any more now
   *   that this one does not.
   */
  set(volume: PersistentVolume, needsStorage: boolean): readonly ObjectKey[];
  /** @returns as `set` does. */
  delete(key: ObjectKey): readonly ObjectKey[];
  /**
   * Returns some of the other volumes that overlap and need their storage, at most `limit`; empty only if
   * there are none.
   */
  neededBy(volume: PersistentVolume, limit: number): readonly ObjectKey[];
  /**
   * Returns the other volumes whose storage overlaps the volume's, which need not be indexed itself. The cost
   * depends on their number.
   */
  overlapping(volume: PersistentVolume): readonly ObjectKey[];
  /** Returns whether there is a volume whose storage overlaps this one. */
  hasVolumeOver(storage: StorageIdentity): boolean;
}

/** A step of an identity: the volumes that have it, and the steps to its parts. */
interface Place {
  readonly needing: Set<ObjectKey>;
  readonly others: Set<ObjectKey>;
  /** Undefined until there are any: most storages have no parts. */
  parts: Map<string, Place> | undefined;
  /** The parts that contain a volume that needs its storage. */
  needyParts: Map<string, Place> | undefined;
}

interface Entry {
  readonly steps: StorageIdentity;
  readonly needsStorage: boolean;
}

export function createStorageIndex(): StorageIndex {
  const whole = newPlace();
  const entries = new Map<ObjectKey, Entry>();

  /**
   * Returns the existing places on the way to a storage. If all of its steps exist, its own place is the
   * last.
   */
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

  /** Returns the volumes that overlap the storage and that no volume holds up. */
  const freeOver = (steps: StorageIdentity): readonly ObjectKey[] => {
    const places = placesTo(steps);
    const free: ObjectKey[] = [];
    for (const place of places) {
      if (place.needing.size > 0) {
        // Such a volume holds up its own place, all above it and all within it.
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
      // An existing place has a volume, at least in one of its parts.
      return (
        places.length > storage.length || places.some(({ needing, others }) => needing.size + others.size > 0)
      );
    },
  };
}

function newPlace(): Place {
  return { needing: new Set(), others: new Set(), parts: undefined, needyParts: undefined };
}

/** Returns whether any volume at the place or within it needs its storage. */
function isNeedy({ needing, needyParts }: Place): boolean {
  return needing.size > 0 || (needyParts?.size ?? 0) > 0;
}

function isEmpty({ needing, others, parts }: Place): boolean {
  return needing.size === 0 && others.size === 0 && (parts?.size ?? 0) === 0;
}

/** From a changed place up to the whole, records whether each place is needy, and removes empty ones. */
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

/** Returns the place and all places below it. */
function placesWithin(place: Place): readonly Place[] {
  const places = [place];
  // The list grows during the loop.
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
