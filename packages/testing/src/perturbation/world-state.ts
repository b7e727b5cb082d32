import type { KubernetesObject } from '@holdfast/core';
import type { Change, Storage } from '@holdfast/apiserver';
import { createPlaces, pathOf, type Place } from './place.ts';

/** The API server's state at one revision, made of everything that was written since the world began. */
export interface WorldState {
  find(kind: string, namespace: string | undefined, name: string): KubernetesObject | undefined;
  all(kind: string): readonly KubernetesObject[];
}

/** One write that took effect. */
export interface WorldChange {
  readonly place: Place;
  readonly type: Change['type'];
  readonly revision: number;
  readonly kind: string;
  /** The object after the write; for a deletion, its last state. */
  readonly object: KubernetesObject;
  /** The object before the write. */
  readonly previous: KubernetesObject | undefined;
}

/** The state of the server, updated with every write. */
export interface FollowedState extends WorldState {
  /** Every object of every kind. */
  readonly objects: Iterable<KubernetesObject>;
  /** The revision of the latest change at a place; undefined if the run has not reached it. */
  revisionOf(place: Place): number | undefined;
  /** The place of the change at a revision. */
  placeAt(revision: number): Place | undefined;
  stop(): void;
}

/**
 * Follows a storage from now on.
 *
 * @param changed called for each change, in order of revision, once the state includes it
 */
export function followState(
  storage: Storage,
  changed: (change: WorldChange, state: WorldState) => void,
): FollowedState {
  const kinds = new Map<string, Map<string, KubernetesObject>>();
  const revisions = new Map<Place, number>();
  const placesByRevision = new Map<number, Place>();
  const placeOf = createPlaces();

  const state: FollowedState = {
    find: (kind, namespace, name) => kinds.get(kind)?.get(pathOf(namespace, name)),
    all: (kind) => [...(kinds.get(kind)?.values() ?? [])],
    get objects() {
      return [...kinds.values()].flatMap((objects) => [...objects.values()]);
    },
    revisionOf: (place) => revisions.get(place),
    placeAt: (revision) => placesByRevision.get(revision),
    stop: storage.subscribe(undefined, ({ type, entry, previous, revision }) => {
      const object = entry.object as unknown as KubernetesObject;
      const { kind = '' } = object;
      const path = pathOf(entry.namespace, entry.name);
      const place = placeOf(`${type} ${kind} ${path}`);
      revisions.set(place, revision);
      placesByRevision.set(revision, place);
      let objects = kinds.get(kind);
      if (objects === undefined) {
        objects = new Map();
        kinds.set(kind, objects);
      }
      if (type === 'DELETED') {
        objects.delete(path);
      } else {
        objects.set(path, object);
      }
      const before = previous?.object as unknown as KubernetesObject | undefined;
      changed({ place, type, revision, kind, object, previous: before }, state);
    }),
  };
  return state;
}
