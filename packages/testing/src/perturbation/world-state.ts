import type { KubernetesObject } from '@holdfast/core';
import type { Change, Storage } from '@holdfast/apiserver';
import { createPlaces, pathOf, type Place } from './place.ts';

/** What the API server has at one revision, of what was written since the world began. */
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
  /** As it is after the write; of a deletion, as it was last. */
  readonly object: KubernetesObject;
  /** As it was before. */
  readonly previous: KubernetesObject | undefined;
}

/** The state of the server as it grows, write by write. */
export interface FollowedState extends WorldState {
  /** Every object, of whatever kind. */
  readonly objects: Iterable<KubernetesObject>;
  /** The revision of the latest change of a place; undefined when it has not come to it. */
  revisionOf(place: Place): number | undefined;
  /** The place of the change at a revision. */
  placeAt(revision: number): Place | undefined;
  stop(): void;
}

/**
 * Follows a storage from now on.
 *
 * @param changed called for each change, in the order of revisions, when the state is that after the change.
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
