import {
  configMaps,
  namespaces,
  keyOf,
  objectKey,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
  volumeAttachments,
  type ApiResource,
  type KubernetesObject,
  type ObjectRef,
} from '@holdfast/core';
import type { StageNotes } from '@holdfast/scenario';
import type { Change, ControlPlane, EmbeddedControlPlane } from '@holdfast/testing';

/** A cluster at one moment. Nothing of it is ever changed in place. */
export interface State {
  /** By plural, then by `namespace/name`. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, KubernetesObject>>;
  /** The options of the app that runs, those of the process that was started last; undefined: it does not. */
  readonly running: unknown;
  /** What the API server says of itself, by path. */
  readonly documents: ReadonlyMap<string, unknown>;
}

/** One write, of whatever has to do with claims and volumes. */
export interface Moment {
  readonly plural: string;
  readonly ref: ObjectRef;
  /** Undefined: it was created. */
  readonly old: KubernetesObject | undefined;
  /** Undefined: it is gone. */
  readonly now: KubernetesObject | undefined;
  /** It was the story that wrote, and no controller. */
  readonly byHand: boolean;
  readonly before: State;
  readonly after: State;
}

export interface History {
  readonly app: string;
  readonly moments: readonly Moment[];
  readonly last: State;
}

/** What is written down while a stage is open. */
export interface Recorder extends StageNotes {
  history(): History;
}

const followed: readonly ApiResource<KubernetesObject>[] = [
  ...[pods, persistentVolumeClaims, persistentVolumes, statefulSets],
  ...[storageClasses, volumeAttachments, configMaps, namespaces],
];

/** As the storage calls them. */
const plurals = new Map(
  followed.map(({ group, plural }) => [group === '' ? plural : `${group}/${plural}`, plural]),
);

const documents = ['/version', '/api/v1', '/apis/apps/v1'];

/**
 * Writes down each write of the server, with the state before and after it.
 *
 * @param rest called when the stage is about to close: resolves when the controllers have come to rest.
 * @throws Error on a real control plane.
 */
export async function record(
  plane: ControlPlane,
  app: string,
  rest: (state: () => State) => Promise<void>,
): Promise<Recorder> {
  const { apiServer } = embedded(plane);
  const { storage } = apiServer;
  const moments: Moment[] = [];
  const underWay = new Set<string>();
  const running: { readonly options: unknown }[] = [];
  let state: State = {
    objects: new Map(
      [...plurals].map(([keyspace, plural]) => [
        plural,
        new Map(storage.list(keyspace).map(({ object }) => [objectKey(stored(object)), stored(object)])),
      ]),
    ),
    running: undefined,
    documents: new Map(
      await Promise.all(
        documents.map(async (path) => {
          const { body } = await apiServer.handle('GET', path);
          return [path, JSON.parse(body) as unknown] as const;
        }),
      ),
    ),
  };

  const note = (plural: string, { type, entry, previous }: Change): void => {
    const object = stored(entry.object);
    const now = type === 'DELETED' ? undefined : object;
    const all = new Map(state.objects.get(plural));
    if (now === undefined) {
      all.delete(objectKey(object));
    } else {
      all.set(objectKey(object), now);
    }
    const before = state;
    state = { ...state, objects: new Map([...state.objects, [plural, all]]) };
    const { namespace, name } = object.metadata;
    moments.push({
      plural,
      ref: namespace === undefined ? { name } : { namespace, name },
      old: previous && stored(previous.object),
      now,
      byHand: underWay.has(`${plural} ${objectKey(object)}`),
      before,
      after: state,
    });
  };
  const subscriptions = [...plurals].map(([keyspace, plural]) =>
    storage.subscribe(keyspace, (change) => note(plural, change)),
  );

  return {
    history: () => ({ app, moments, last: state }),
    acts: ({ plural }, ref) => {
      const key = `${plural} ${keyOf(ref)}`;
      underWay.add(key);
      return () => underWay.delete(key);
    },
    starts: (options) => {
      const start = { options };
      running.push(start);
      state = { ...state, running: options };
      return () => {
        running.splice(running.indexOf(start), 1);
        state = { ...state, running: running.at(-1)?.options };
      };
    },
    closes: async () => {
      await rest(() => state);
      subscriptions.forEach((end) => end());
    },
  };
}

function embedded(plane: ControlPlane): EmbeddedControlPlane {
  if (plane.backend !== 'embedded') {
    throw new Error('the control plane is a real one; states are written down on the embedded one only');
  }
  return plane as EmbeddedControlPlane;
}

/** What is stored has a name and a UID. */
function stored(object: Change['entry']['object']): KubernetesObject {
  return object as unknown as KubernetesObject;
}
