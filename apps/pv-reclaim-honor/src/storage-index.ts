import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import { storageIdentityOf } from './storage-identity.ts';

/** Volumes by their storage, so that those over one storage, wholly or in part, are found without a look at the others. */
export interface StorageIndex {
  /** Puts the volume where its storage is, and takes it from where it was. */
  set(volume: PersistentVolume): void;
  delete(key: ObjectKey): void;
  /** The other volumes over storage that overlaps the volume's, itself indexed or not; costs by their number. */
  overlapping(volume: PersistentVolume): readonly ObjectKey[];
}

/** A step of an identity: the volumes that are it, and the steps to its parts. */
interface Place {
  readonly volumes: Set<ObjectKey>;
  /** Undefined until there are any: most storages have no parts. */
  parts: Map<string, Place> | undefined;
}

export function createStorageIndex(): StorageIndex {
  const whole = newPlace();
  const pathOf = new Map<ObjectKey, readonly string[]>();

  /** The places on the way to a storage, as far as there are any; its own is the last if all of its steps are there. */
  const placesTo = (steps: readonly string[]): readonly Place[] => {
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

  const remove = (key: ObjectKey): void => {
    const steps = pathOf.get(key);
    if (steps === undefined) {
      return;
    }
    pathOf.delete(key);
    const places = placesTo(steps);
    places.at(-1)?.volumes.delete(key);
    for (let at = steps.length; at > 0 && isEmpty(places[at]); at--) {
      places[at - 1]?.parts?.delete(steps[at - 1] ?? '');
    }
  };

  return {
    set: (volume) => {
      const key = objectKey(volume);
      remove(key);
      const steps = storageIdentityOf(volume);
      if (steps === undefined) {
        return;
      }
      pathOf.set(key, steps);
      let place = whole;
      for (const step of steps) {
        place.parts ??= new Map();
        const next = place.parts.get(step) ?? newPlace();
        place.parts.set(step, next);
        place = next;
      }
      place.volumes.add(key);
    },
    delete: remove,
    overlapping: (volume) => {
      const steps = storageIdentityOf(volume);
      if (steps === undefined) {
        return [];
      }
      const places = placesTo(steps);
      const own = places[steps.length];
      const parts = own === undefined ? [] : placesWithin(own);
      return [...places.slice(0, steps.length), ...parts]
        .flatMap(({ volumes }) => [...volumes])
        .filter((key) => key !== objectKey(volume));
    },
  };
}

/** The place and all below it. */
function placesWithin(place: Place): readonly Place[] {
  const places = [place];
  // The list grows while it is walked.
  for (const each of places) {
    for (const part of each.parts?.values() ?? []) {
      places.push(part);
    }
  }
  return places;
}

function newPlace(): Place {
  return { volumes: new Set(), parts: undefined };
}

function isEmpty(place: Place | undefined): boolean {
  return place === undefined || (place.volumes.size === 0 && (place.parts?.size ?? 0) === 0);
}
