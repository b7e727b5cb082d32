import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namespaces, type KubernetesObject, type PersistentVolumeClaim } from '@holdfast/core';
import type { ApiClient, Follower } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario/eventually';
import { openStage, type Stage, type StagedController } from '@holdfast/scenario/stage';
import {
  allIdle,
  createFaultPlan,
  garbageCollector,
  kubelet,
  namespaceDeletion,
  persistentVolumeProtection,
  startController,
  startEmbeddedControlPlane,
  statefulSetController,
  type Change as StoredChange,
  type EmbeddedControlPlane,
  type FaultPlan,
  type RunningController,
} from '@holdfast/testing';
import { stagedApp, type AppOptions } from './apps.ts';
import { emptyState, now, type History, type Moment, type State, type Wish } from './history.ts';
import { appNames, type AppName, type Model } from './model.ts';
import { isEnding, names } from './objects.ts';
import { attacher, createStorage, oldBinder, provisioner, type Storage } from './stand-ins.ts';
import { createWorldClock, type WorldClock } from './world-clock.ts';

/**
 * How many milliseconds the world's clock is advanced while it does not come to rest: back-offs take up to
 * five minutes.
 */
const leap = 60_000;

/**
 * How long each rest is awaited before that, in milliseconds of the world's clock, which is at least one and
 * a half seconds of real time.
 */
const beforeLeap = 75_000;

/** A model's promise was broken. The message is the story of how that happened. */
class Broken extends Error {
  override readonly name = 'Broken';
}

/**
 * An API server, the stock controllers' stand-ins, our four controllers, and a judge that sees every write.
 */
export interface World {
  readonly client: ApiClient;
  readonly plane: EmbeddedControlPlane;
  readonly clock: WorldClock;
  readonly storage: Storage;
  readonly faults: FaultPlan;
  readonly state: State;
  /** Begins the next command of the story. */
  begin(command: string): void;
  /** Adds the result of the command to the story. */
  tell(outcome: string): void;
  /** The number of commands that were begun. */
  readonly commands: number;
  /** Returns the claim in its last known state, even if it no longer exists. */
  lastClaim(name: string): PersistentVolumeClaim | undefined;
  /** Records what is requested; must be called before the request is sent. */
  wish(wish: Wish): void;
  isRunning(app: AppName): boolean;
  start(app: AppName): Promise<void>;
  /** Ends an app gracefully, or dropping everything in progress, as a lost lease does. */
  end(app: AppName, how: 'stop' | 'abandon'): Promise<void>;
  /**
   * Ends all faults, starts all apps, and waits until every controller has seen everything and nothing is
   * left to be done.
   *
   * @throws Broken if that does not happen
   */
  rest(): Promise<void>;
  /** @throws Broken if something was lost */
  check(): void;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly models: readonly Model[];
  /** The seed of the faults. If it is odd, pods end after their grace period instead of at once. */
  readonly seed: number;
  /**
   * How many milliseconds of the world's clock a rest may take; on a slow machine the world is slow, too.
   * Default half an hour.
   */
  readonly patience?: number;
}

export async function createWorld({ models, seed, patience = 30 * 60_000 }: WorldOptions): Promise<World> {
  const clock = createWorldClock();
  const faults = createFaultPlan(seed);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-models-'));
  const storage = createStorage(folder);
  const plane = await startEmbeddedControlPlane({
    tls: false,
    disableAdmissionPlugins: ['StorageObjectInUseProtection', 'DefaultStorageClass'],
    now: clock.now,
    after: clock.after,
    faults,
  });
  const story: string[] = [];
  const wrongs: string[] = [];
  const moments: Moment[] = [{ state: emptyState, time: clock.now() }];
  let restIndex = 0;
  const history = (): History => ({ moments, rest: restIndex });
  const state = (): State => now(history()).state;
  let commands = 0;
  const tell = (outcome: string): void => void story.push(`  ${outcome}`);

  const advance = (after: State): void => {
    for (const model of models) {
      for (const wrong of model.lost({ history: history(), after, time: clock.now() })) {
        wrongs.push(wrong);
        tell(`! ${wrong}`);
      }
    }
    moments.push({ state: after, time: clock.now() });
  };
  const lookAtStorage = (): void => {
    const before = state();
    const data = new Set(storage.volumes.filter((volume) => storage.has(volume)));
    if (data.size !== before.data.size || [...data].some((volume) => !before.data.has(volume))) {
      for (const volume of [...before.data].filter((each) => !data.has(each))) {
        tell(`- data of ${volume}`);
      }
      advance({ ...before, data });
    }
  };
  const unsubscribe = plane.apiServer.storage.subscribe(undefined, (change) => {
    const after = afterChange(state(), change);
    if (after !== undefined) {
      lookAtStorage();
      const line = lineOf(change);
      if (line !== undefined) {
        tell(line);
      }
      advance(afterChange(state(), change) ?? after);
    }
  });

  const informers = new Map<AppName, readonly Follower[]>();
  const stages = new Map<AppName, Stage<AppOptions>>();
  const running = new Map<AppName, StagedController>();
  for (const name of appNames) {
    stages.set(
      name,
      await openStage(
        plane,
        stagedApp(name, (made) => informers.set(name, made)),
      ),
    );
  }
  const stageOf = (name: AppName): Stage<AppOptions> => {
    const stage = stages.get(name);
    if (stage === undefined) {
      throw new Error(`no stage for ${name}`);
    }
    return stage;
  };
  const { client } = stageOf('pvc-protection');
  const standIns: readonly RunningController[] = await Promise.all(
    [
      statefulSetController({ retention: false }),
      garbageCollector,
      kubelet({
        node: names.node,
        needsBoundClaims: true,
        ends: seed % 2 === 0 ? 'at once' : 'after the grace period',
      }),
      namespaceDeletion,
      oldBinder,
      persistentVolumeProtection,
      provisioner(storage),
      attacher,
    ].map((standIn) => startController(plane, standIn, { now: clock.now, after: clock.after })),
  );

  const fail = (why: string): never => {
    throw new Broken(`${why}\n\n${story.join('\n')}`);
  };

  const world: World = {
    client,
    plane,
    clock,
    storage,
    faults,
    get state() {
      return state();
    },
    begin: (command) => {
      commands += 1;
      story.push(command);
    },
    tell,
    get commands() {
      return commands;
    },
    lastClaim: (name) => moments.findLast(({ state }) => state.claims.has(name))?.state.claims.get(name),
    wish: (wish) => void moments.push({ state: state(), time: clock.now(), wish }),
    isRunning: (app) => running.has(app),
    start: async (app) => {
      const options: AppOptions = {
        date: clock.date,
        root: storage.root,
        kubeconfigFile: () => stageOf(app).kubeconfigFile,
      };
      running.set(app, await stageOf(app).startController(options, { clock }));
    },
    end: async (app, how) => {
      const controller = running.get(app);
      running.delete(app);
      await (how === 'stop' ? controller?.stop() : controller?.abandon());
    },
    rest: async () => {
      faults.clear();
      // Watches that had a fault when they began keep it until they end.
      if (faults.injected.length > 0) {
        plane.apiServer.cutWatches();
      }
      for (const app of appNames.filter((name) => !running.has(name))) {
        await world.start(app);
      }
      let owed: readonly string[] = [];
      const begun = clock.now();
      let leapt = begun;
      const isAtRest = async (): Promise<boolean> => {
        world.check();
        if (clock.now() - leapt > beforeLeap) {
          await clock.leap(leap);
          leapt = clock.now();
        }
        await allIdle(standIns);
        const version = plane.apiServer.storage.revision;
        const level = appNames.filter((app) => !isLevel(plane, informers.get(app) ?? []));
        const busy = await busyApps(running);
        lookAtStorage();
        // What is left to be done can depend on the time.
        moments.push({ state: state(), time: clock.now() });
        owed = [
          ...models.flatMap((model) => model.owed(history())),
          ...level.map((app) => `${app} has not seen everything`),
          ...busy.map((app) => `${app} is at work`),
        ];
        const isOver = owed.length === 0 && plane.apiServer.storage.revision === version;
        if (!isOver && clock.now() - begun > patience) {
          fail(
            `the world does not come to rest: ${owed.join('; ') || 'the server is written to without an end'}`,
          );
        }
        return isOver;
      };
      try {
        await eventually('the world is at rest', isAtRest, Infinity);
      } catch (error) {
        if (error instanceof Broken) {
          throw error;
        }
        fail(`the world does not come to rest: ${String(error)}`);
      }
      world.check();
      restIndex = moments.length - 1;
    },
    check: () => {
      lookAtStorage();
      const [first] = wrongs;
      if (first !== undefined) {
        fail(first);
      }
    },
    close: async () => {
      faults.clear();
      unsubscribe();
      await Promise.all([...stages.values()].map((stage) => stage.close()));
      await Promise.all(standIns.map((standIn) => standIn.stop()));
      await plane.stop();
      await clock.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await client.create(namespaces, undefined, { metadata: { name: names.namespace } });
  await Promise.all(appNames.map((app) => world.start(app)));
  return world;
}

const kinds = {
  persistentvolumeclaims: 'claims',
  pods: 'pods',
  'apps/statefulsets': 'sets',
  persistentvolumes: 'volumes',
  'storage.k8s.io/storageclasses': 'classes',
  'storage.k8s.io/volumeattachments': 'attachments',
} as const satisfies Record<string, keyof State>;

/** Undefined if nothing changed that the models look at. */
function afterChange(state: State, change: StoredChange): State | undefined {
  const { entry, type } = change;
  const object = entry.object as unknown as KubernetesObject;
  const keyspace = keyspaceOf(object);
  if (keyspace === 'namespaces') {
    return entry.name === names.namespace
      ? { ...state, isOpen: type !== 'DELETED' && !isEnding(object) }
      : undefined;
  }
  if (!isKnown(keyspace)) {
    return undefined;
  }
  const field = kinds[keyspace];
  const objects = new Map<string, unknown>(state[field]);
  if (type === 'DELETED') {
    objects.delete(entry.name);
  } else {
    objects.set(entry.name, object);
  }
  return { ...state, [field]: objects };
}

function isKnown(keyspace: string): keyspace is keyof typeof kinds {
  return keyspace in kinds;
}

const plurals: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  Pod: 'pods',
  StatefulSet: 'apps/statefulsets',
  PersistentVolume: 'persistentvolumes',
  StorageClass: 'storage.k8s.io/storageclasses',
  VolumeAttachment: 'storage.k8s.io/volumeattachments',
};

function keyspaceOf({ kind = '' }: KubernetesObject): string {
  return plurals[kind] ?? '';
}

/**
 * Returns a line for changes that matter to a story: objects are created, get other owners, begin to be
 * deleted, and go.
 */
function lineOf({ type, entry, previous }: StoredChange): string | undefined {
  const object = entry.object as unknown as KubernetesObject;
  const before = previous?.object as unknown as KubernetesObject | undefined;
  const { kind = '', metadata } = object;
  if (type === 'ADDED') {
    return `+ ${kind} ${metadata.name}`;
  }
  if (type === 'DELETED') {
    return `- ${kind} ${metadata.name}`;
  }
  if (isEnding(object) && before !== undefined && !isEnding(before)) {
    return `~ ${kind} ${metadata.name} is being deleted`;
  }
  const owners = ownersOf(object);
  return before === undefined || owners === ownersOf(before)
    ? undefined
    : `~ ${kind} ${metadata.name} is owned by ${owners === '' ? 'nobody' : owners}`;
}

function ownersOf({ metadata }: KubernetesObject): string {
  return (metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`).join(' and ');
}

/** Whether the caches hold exactly what the API server has. */
function isLevel(plane: EmbeddedControlPlane, informers: readonly Follower[]): boolean {
  return informers.every((follower) => {
    const { resource, store } = follower as Follower & {
      readonly resource: { readonly group: string; readonly plural: string };
      readonly store: { values(): Iterable<KubernetesObject> };
    };
    const keyspace = [resource.group, resource.plural].filter(Boolean).join('/');
    const versionsOf = (objects: Iterable<KubernetesObject>): string =>
      [...objects]
        .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
        .sort()
        .join();
    const stored = plane.apiServer.storage.list(keyspace);
    return (
      versionsOf(stored.map(({ object }) => object as unknown as KubernetesObject)) ===
      versionsOf(store.values())
    );
  });
}

/** Returns the apps that are working on a key, or have one to work on now. */
async function busyApps(running: ReadonlyMap<AppName, StagedController>): Promise<readonly AppName[]> {
  const answers = await Promise.all(
    [...running].map(async ([app, { registry }]) => {
      const values: readonly { readonly value: number }[] = [
        ...((await registry.getSingleMetric('workqueue_depth')?.get())?.values ?? []),
        ...((await registry.getSingleMetric('controller_runtime_active_workers')?.get())?.values ?? []),
      ];
      return values.some(({ value }) => value > 0) ? [app] : [];
    }),
  );
  return answers.flat();
}
