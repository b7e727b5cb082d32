import {
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
  type ApiResource,
  type KubernetesObject,
} from '@holdfast/core';
import { terminatePod } from '@holdfast/testing';
import fc from 'fast-check';
import type { Cascade } from './history.ts';
import { appNames, type AppName } from './model.ts';
import { names, uidOf, undoWindow } from './objects.ts';
import { setWeather, weathers } from './weather.ts';
import type { World } from './world.ts';

/*
 * What users and the cluster do, one command at a time. A command decides by the plan alone whether it makes
 * sense. What it causes in the cluster then depends on how far the controllers are. Requests that the API
 * server refuses are part of the story.
 */

/** What was requested so far: enough to skip commands that could do nothing. */
export interface Plan {
  readonly sets: Set<string>;
  readonly pods: Set<string>;
  readonly claims: Set<string>;
  readonly classes: Set<string>;
  readonly stopped: Set<AppName>;
  isOpen: boolean;
}

export type Command = fc.AsyncCommand<Plan, World>;

export interface SetShape {
  readonly replicas: number;
  readonly whenDeleted: 'Delete' | 'Retain';
  readonly whenScaled: 'Delete' | 'Retain';
  /** Whether the policy is in annotations, with undo windows. */
  readonly hasWindow: boolean;
}

const { namespace } = names;
const retention = fc.constantFrom('Delete' as const, 'Retain' as const);
export const setShape: fc.Arbitrary<SetShape> = fc.record({
  replicas: fc.integer({ min: 1, max: 3 }),
  whenDeleted: retention,
  whenScaled: retention,
  hasWindow: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});
const set = fc.constantFrom('web', 'db');
const pod = fc.constantFrom('p0', 'p1');
const handClaim = fc.constantFrom('c0', 'c1');
const setClaim = fc.tuple(set, fc.nat(2)).map(([name, ordinal]) => `data-${name}-${String(ordinal)}`);
const claim = fc.oneof(handClaim, setClaim);
const className = fc.constantFrom('standard', 'kept', 'undo');
const app = fc.constantFrom(...appNames);
const cascade: fc.Arbitrary<Cascade> = fc.constantFrom('Background', 'Foreground', 'Orphan');

interface Script {
  readonly label: string;
  readonly check?: (plan: Readonly<Plan>) => boolean;
  /** Updates the plan. */
  readonly plan?: (plan: Plan) => void;
  /** @returns the result, for the story */
  readonly play: (world: World) => Promise<string | undefined> | string | undefined;
}

function command({ label, check = () => true, plan, play }: Script): Command {
  return {
    check,
    run: async (model, world) => {
      plan?.(model);
      world.begin(label);
      const outcome = await play(world);
      if (outcome !== undefined) {
        world.tell(`(${outcome})`);
      }
      world.check();
    },
    toString: () => label,
  };
}

/**
 * Sends a request. A refusal that belongs to the story is no error: the object is gone, it already exists, or
 * the change is not allowed.
 */
async function send(request: Promise<unknown>): Promise<string | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (typeof code === 'number' && [403, 404, 409, 422].includes(code)) {
      return message;
    }
    throw error;
  }
}

const createSet = (name: string, shape: SetShape): Command =>
  command({
    label: `a user makes set ${name}: replicas ${String(shape.replicas)}, ${policyText(shape)}`,
    check: ({ isOpen, sets }) => isOpen && !sets.has(name),
    plan: ({ sets }) => void sets.add(name),
    play: ({ client }) => send(client.create(statefulSets, namespace, setDraft(name, shape))),
  });

const scale = (name: string, replicas: number): Command =>
  command({
    label: `a user scales ${name} to ${String(replicas)}`,
    check: ({ sets }) => sets.has(name),
    play: (world) => patch(world, statefulSets, name, '/spec/replicas', replicas),
  });

const setPolicy = (name: string, shape: Pick<SetShape, 'whenDeleted' | 'whenScaled'>): Command =>
  command({
    label: `a user gives ${name} the policy ${policyText({ ...shape, hasWindow: false })}`,
    check: ({ sets }) => sets.has(name),
    play: (world) => {
      const { whenDeleted, whenScaled } = shape;
      const hasWindow =
        world.state.sets.get(name)?.metadata.annotations?.[names.scaleDownGrace] !== undefined;
      return hasWindow
        ? patch(world, statefulSets, name, '/metadata/annotations', setAnnotations(shape))
        : patch(world, statefulSets, name, '/spec/persistentVolumeClaimRetentionPolicy', {
            whenDeleted,
            whenScaled,
          });
    },
  });

const deleteSet = (name: string, propagationPolicy: Cascade): Command =>
  command({
    label: `a user deletes set ${name}, ${propagationPolicy}`,
    check: ({ sets }) => sets.has(name),
    plan: ({ sets }) => void sets.delete(name),
    play: (world) => {
      const found = world.state.sets.get(name);
      if (found === undefined) {
        return 'it is not there';
      }
      const uid = uidOf(found);
      world.wish({ kind: 'deleteSet', uid, cascade: propagationPolicy });
      return send(
        world.client.delete(statefulSets, { namespace, name }, { propagationPolicy, preconditions: { uid } }),
      );
    },
  });

const createPod = (name: string, claimName: string): Command =>
  command({
    label: `a user makes pod ${name} with claim ${claimName}`,
    check: ({ isOpen, pods: known }) => isOpen && !known.has(name),
    plan: ({ pods: known }) => void known.add(name),
    play: ({ client }) =>
      send(
        client.create(pods, namespace, {
          metadata: { name },
          spec: {
            containers: [{ name: 'c', image: 'example.com/none' }],
            terminationGracePeriodSeconds: 5,
            volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
          },
        }),
      ),
  });

const deletePod = (name: string, gracePeriodSeconds: number): Command =>
  command({
    label: `a user deletes pod ${name}, grace ${String(gracePeriodSeconds)} s`,
    check: (plan) => plan.pods.has(name) || plan.sets.has(name.replace(/-\d+$/, '')),
    plan: (plan) => void plan.pods.delete(name),
    play: (world) => {
      const found = world.state.pods.get(name);
      if (found === undefined) {
        return 'it is not there';
      }
      const uid = uidOf(found);
      world.wish({ kind: 'deletePod', uid });
      return send(
        world.client.delete(pods, { namespace, name }, { gracePeriodSeconds, preconditions: { uid } }),
      );
    },
  });

const finishPod = (name: string): Command =>
  command({
    label: `pod ${name} comes to its end`,
    check: (plan) => plan.pods.has(name),
    play: ({ state, plane, clock }) =>
      (state.pods.get(name)?.spec?.nodeName ?? '') === ''
        ? 'it has no node'
        : terminatePod(plane, { namespace, name }, 'Succeeded', clock.now).then(
            () => undefined,
            (error: unknown) => String(error),
          ),
  });

const createClaim = (name: string, chosen: string | undefined): Command =>
  command({
    label: `a user makes claim ${name} ${chosen === undefined ? 'without a class' : `of class "${chosen}"`}`,
    check: ({ isOpen, claims }) => isOpen && !claims.has(name),
    plan: ({ claims }) => void claims.add(name),
    play: ({ client }) => send(client.create(persistentVolumeClaims, namespace, claimDraft(name, chosen))),
  });

const deleteClaim = (name: string): Command =>
  command({
    label: `a user deletes claim ${name}`,
    check: ({ claims, sets }) => claims.has(name) || sets.size > 0,
    plan: ({ claims }) => void claims.delete(name),
    play: (world) => {
      const found = world.state.claims.get(name);
      if (found === undefined) {
        return 'it is not there';
      }
      const uid = uidOf(found);
      world.wish({ kind: 'deleteClaim', uid });
      return send(
        world.client.delete(persistentVolumeClaims, { namespace, name }, { preconditions: { uid } }),
      );
    },
  });

/**
 * Recreates the claim in its last known state, without what belongs to the life of an object: UID, owners,
 * finalizers.
 */
const restoreClaim = (name: string): Command =>
  command({
    label: `an administrator restores claim ${name} from a backup`,
    check: ({ isOpen }) => isOpen,
    play: (world) => {
      const last = world.lastClaim(name);
      if (last === undefined || world.state.claims.has(name)) {
        return last === undefined ? 'there never was one' : 'it is there';
      }
      const { annotations = {} } = last.metadata;
      return send(
        world.client.create(persistentVolumeClaims, namespace, {
          metadata: { name, annotations },
          spec: last.spec,
        }),
      );
    },
  });

const askBack = (name: string): Command =>
  command({
    label: `a user asks for the volume of claim ${name} once more`,
    check: ({ isOpen }) => isOpen,
    play: ({ client, state }) => {
      const volume = [...state.volumes.values()].find(({ spec }) => spec?.claimRef?.name === name);
      if (volume === undefined || state.claims.has(name)) {
        return volume === undefined ? 'there is none' : 'the claim is there';
      }
      const { metadata, spec } = claimDraft(name, volume.spec?.storageClassName ?? '');
      return send(
        client.create(persistentVolumeClaims, namespace, {
          metadata,
          spec: { ...spec, volumeName: volume.metadata.name },
        }),
      );
    },
  });

/** @param index which of the existing volumes, by name */
const onVolume = (
  label: string,
  index: number,
  play: (world: World, volume: string) => Promise<string | undefined>,
): Command =>
  command({
    label: `an administrator ${label} a volume`,
    play: (world) => {
      const all = [...world.state.volumes.keys()].sort();
      const volume = all[index % all.length];
      if (volume === undefined) {
        return 'there is none';
      }
      world.tell(`it is ${volume}`);
      return play(world, volume);
    },
  });

const deleteVolume = (index: number): Command =>
  onVolume('deletes', index, ({ client }, name) => send(client.delete(persistentVolumes, { name })));

const setReclaimPolicy = (index: number, policy: 'Delete' | 'Retain'): Command =>
  onVolume(`sets the policy ${policy} on`, index, (world, name) =>
    patch(world, persistentVolumes, name, '/spec/persistentVolumeReclaimPolicy', policy),
  );

const shareFolder = (index: number): Command =>
  onVolume('makes another volume over the folder of', index, ({ client, state, storage }, name) => {
    const path = state.volumes.get(name)?.spec?.hostPath?.path ?? '';
    return send(
      client.create(persistentVolumes, undefined, {
        metadata: { name: `${name}-again` },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          storageClassName: 'by-hand',
          hostPath: { path: path.replace(storage.root, `${storage.root}/.`) },
        },
      }),
    );
  });

const createClass = (name: string, isDefault: boolean): Command =>
  command({
    label: `an administrator makes class ${name}${isDefault ? ', the default' : ''}`,
    check: ({ classes }) => !classes.has(name),
    plan: ({ classes }) => void classes.add(name),
    play: ({ client }) => send(client.create(storageClasses, undefined, classDraft(name, isDefault))),
  });

const deleteClass = (name: string): Command =>
  command({
    label: `an administrator deletes class ${name}`,
    check: ({ classes }) => classes.has(name),
    plan: ({ classes }) => void classes.delete(name),
    play: ({ client }) => send(client.delete(storageClasses, { name })),
  });

const markClass = (name: string, isDefault: boolean): Command =>
  command({
    label: `an administrator says that class ${name} is ${isDefault ? '' : 'not '}the default`,
    check: ({ classes }) => classes.has(name),
    play: (world) =>
      patch(world, storageClasses, name, '/metadata/annotations', {
        [names.isDefaultClass]: String(isDefault),
      }),
  });

const deleteNamespace: Command = command({
  label: 'a user deletes the namespace',
  check: ({ isOpen }) => isOpen,
  plan: (plan) => {
    plan.isOpen = false;
    for (const known of [plan.sets, plan.pods, plan.claims]) {
      known.clear();
    }
  },
  play: ({ client }) => send(client.delete(namespaces, { name: namespace })),
});

const makeNamespace: Command = command({
  label: 'the namespace goes, and a user makes it again',
  check: ({ isOpen }) => !isOpen,
  plan: (plan) => {
    plan.isOpen = true;
    plan.stopped.clear();
  },
  play: async (world) => {
    await world.rest();
    return send(world.client.create(namespaces, undefined, { metadata: { name: namespace } }));
  },
});

const restart = (name: AppName, how: 'stop' | 'abandon'): Command =>
  command({
    label: how === 'stop' ? `${name} is restarted` : `another replica takes the lease of ${name} over`,
    plan: ({ stopped }) => void stopped.delete(name),
    play: async (world) => {
      world.wish({ kind: 'disturbance' });
      await world.end(name, how);
      await world.start(name);
      return undefined;
    },
  });

const stop = (name: AppName): Command =>
  command({
    label: `${name} is stopped`,
    check: ({ stopped }) => !stopped.has(name),
    plan: ({ stopped }) => void stopped.add(name),
    play: async (world) => {
      world.wish({ kind: 'disturbance' });
      await world.end(name, 'stop');
      return undefined;
    },
  });

const start = (name: AppName): Command =>
  command({
    label: `${name} is started`,
    check: ({ stopped }) => stopped.has(name),
    plan: ({ stopped }) => void stopped.delete(name),
    play: async (world) => {
      if (!world.isRunning(name)) {
        await world.start(name);
      }
      return undefined;
    },
  });

const weather = (name: (typeof weathers)[number]): Command =>
  command({
    label: `from now on, for ours: ${name}`,
    play: (world) => {
      world.wish({ kind: 'disturbance' });
      setWeather(world.faults, name);
      if (name.includes('watches')) {
        world.plane.apiServer.cutWatches();
      }
      return undefined;
    },
  });

const cutWatches: Command = command({
  label: 'all watches are cut, and history is forgotten',
  play: (world) => {
    world.wish({ kind: 'disturbance', ofAll: true });
    world.plane.apiServer.compact();
    world.plane.apiServer.cutWatches();
    return undefined;
  },
});

const leap = (minutes: number): Command =>
  command({
    label: `${String(minutes)} minutes pass`,
    play: async ({ clock }) => {
      await clock.leap(minutes * 60_000);
      return undefined;
    },
  });

const pause = (milliseconds: number): Command =>
  command({
    label: `a moment passes (${String(milliseconds)} ms)`,
    play: async () => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      return undefined;
    },
  });

const rest: Command = command({
  label: 'all come to rest',
  plan: ({ stopped }) => stopped.clear(),
  play: async (world) => {
    await world.rest();
    return undefined;
  },
});

/** The commands that belong to each app's own story. A command that is listed twice comes twice as often. */
const ofApp: Readonly<Record<AppName, readonly fc.Arbitrary<Command>[]>> = {
  'pvc-protection': [
    fc.tuple(pod, claim).map(([name, of]) => createPod(name, of)),
    fc.tuple(pod, fc.constantFrom(0, 5)).map(([name, grace]) => deletePod(name, grace)),
    pod.map(finishPod),
    claim.map(deleteClaim),
    handClaim.map(deleteClaim),
  ],
  'statefulset-pvc-retention': [
    fc.tuple(set, setShape).map(([name, shape]) => createSet(name, shape)),
    fc.tuple(set, fc.integer({ min: 0, max: 3 })).map(([name, replicas]) => scale(name, replicas)),
    fc.tuple(set, fc.integer({ min: 0, max: 3 })).map(([name, replicas]) => scale(name, replicas)),
    fc.tuple(set, setShape).map(([name, shape]) => setPolicy(name, shape)),
    fc.tuple(set, cascade).map(([name, how]) => deleteSet(name, how)),
    fc
      .tuple(set, fc.nat(2), fc.constantFrom(0, 5))
      .map(([name, ordinal, grace]) => deletePod(`${name}-${String(ordinal)}`, grace)),
    setClaim.map(restoreClaim),
    // Data that exists before its pod, or is meant for a later set.
    setClaim.map((name) => createClaim(name, undefined)),
  ],
  'pv-reclaim-honor': [
    fc.nat(5).map(deleteVolume),
    fc.tuple(fc.nat(5), retention).map(([index, policy]) => setReclaimPolicy(index, policy)),
    fc.nat(5).map(shareFolder),
    handClaim.map(deleteClaim),
    claim.map(askBack),
    fc.tuple(handClaim, className).map(([name, of]) => createClaim(name, of)),
  ],
  'retroactive-default-sc': [
    fc.tuple(handClaim, fc.constantFrom(undefined, undefined, '')).map(([name, of]) => createClaim(name, of)),
    fc.tuple(className, fc.boolean()).map(([name, isDefault]) => createClass(name, isDefault)),
    className.map(deleteClass),
    fc.tuple(className, fc.boolean()).map(([name, isDefault]) => markClass(name, isDefault)),
  ],
};

const ofAll: readonly fc.Arbitrary<Command>[] = [
  fc.constant(rest),
  fc.constant(rest),
  fc.integer({ min: 0, max: 15 }).map(pause),
  fc.constantFrom(1, 6, 11).map(leap),
  fc
    .tuple(app, fc.constantFrom('stop' as const, 'abandon' as const))
    .map(([name, how]) => restart(name, how)),
  app.map(stop),
  app.map(start),
  fc.constantFrom(...weathers).map(weather),
  fc.constant(cutWatches),
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(deleteNamespace) },
    { weight: 3, arbitrary: fc.constant(rest) },
  ),
  fc.constant(makeNamespace),
];

/**
 * @param apps the apps whose stories are told; those of the others are left out, but their controllers run
 *   nevertheless
 */
export function commandsOf(apps: readonly AppName[]): fc.Arbitrary<Command>[] {
  return [...apps.flatMap((name) => ofApp[name]), ...ofAll];
}

/** Creates what exists when a story begins: a default class, a set, and a pod with a claim of its own. */
export async function setScene(world: World, shape: SetShape): Promise<Plan> {
  const plan: Plan = {
    sets: new Set(),
    pods: new Set(),
    claims: new Set(),
    classes: new Set(),
    stopped: new Set(),
    isOpen: true,
  };
  const opening = [
    createClass('standard', true),
    createSet('web', shape),
    createClaim('c0', undefined),
    createPod('p0', 'c0'),
    rest,
  ];
  for (const each of opening) {
    await each.run(plan, world);
  }
  return plan;
}

function patch<T extends KubernetesObject>(
  { client }: World,
  resource: ApiResource<T>,
  name: string,
  path: string,
  value: unknown,
): Promise<string | undefined> {
  const ref = resource.namespaced ? { namespace, name } : { name };
  return send(client.patch(resource, ref, [{ op: 'add', path, value }]));
}

function policyText({
  whenDeleted,
  whenScaled,
  hasWindow,
}: Pick<SetShape, 'whenDeleted' | 'whenScaled' | 'hasWindow'>): string {
  return `whenDeleted ${whenDeleted}, whenScaled ${whenScaled}${hasWindow ? `, windows of ${undoWindow.text}` : ''}`;
}

function setAnnotations({ whenDeleted, whenScaled }: Pick<SetShape, 'whenDeleted' | 'whenScaled'>) {
  return {
    [names.whenDeleted]: whenDeleted,
    [names.whenScaled]: whenScaled,
    [names.scaleDownGrace]: undoWindow.text,
    [names.setDeletionGrace]: undoWindow.text,
  };
}

function setDraft(name: string, shape: SetShape) {
  const { replicas, whenDeleted, whenScaled, hasWindow } = shape;
  const labels = { app: name };
  return {
    metadata: { name, ...(hasWindow ? { annotations: setAnnotations(shape) } : {}) },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'c', image: 'example.com/none' }], terminationGracePeriodSeconds: 5 },
      },
      ...(hasWindow ? {} : { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } }),
      volumeClaimTemplates: [claimDraft('data', undefined)],
    },
  };
}

function claimDraft(name: string, chosen: string | undefined) {
  return {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(chosen === undefined ? {} : { storageClassName: chosen }),
    },
  };
}

function classDraft(name: string, isDefault: boolean) {
  return {
    metadata: { name, ...(isDefault ? { annotations: { [names.isDefaultClass]: 'true' } } : {}) },
    provisioner: names.provisioner,
    reclaimPolicy: name === 'kept' ? 'Retain' : 'Delete',
    ...(name === 'undo' ? { parameters: { undo: undoWindow.text } } : {}),
  };
}
