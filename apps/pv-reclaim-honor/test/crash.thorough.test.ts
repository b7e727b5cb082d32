import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type Fault, type FaultMatch } from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { handOf, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/*
 * Real processes, ended by SIGKILL. Each is the next one to the process that was killed before it, and the victim of
 * the next test: a process must cope with what another left behind, and starting one is what costs time here. Claim and
 * volume are deleted in either order, of volumes side by side.
 */

const ours = { userAgent: /^pv-reclaim-honor\//, resource: 'persistentvolumes' } as const;
/** The object's deletion; a volume that is terminating already comes straight to the patch. */
const deletes: FaultMatch = { ...ours, verb: ['delete', 'patch'] };
const patches: FaultMatch = { ...ours, verb: 'patch' };

/** The request never reaches the API server. */
const lost: Fault = { kind: 'reset', when: 'before' };

const plan = createFaultPlan();
let running: AppProcess | undefined;
afterAll(kill);
const open = useBinderScenes(afterAll);
let stage: Stage;
let storage: Storage;
let hand: Hand;

beforeAll(async () => {
  ({ stage, storage } = await open(startEmbeddedControlPlane({ faults: plan })));
}, 60_000);

beforeEach(async () => {
  hand = handOf(stage, await stage.namespace(), storage.driver);
  start();
});

afterEach(() => {
  plan.clear();
  storage.driver.heal();
});

/** Starts a process, unless one runs. */
function start(): AppProcess {
  running ??= startApp('pv-reclaim-honor', [
    `--kubeconfig=${stage.kubeconfigFile}`,
    `--csi-address=${storage.driver.address}`,
    '--leader-elect=false',
    '--metrics-bind-address=0',
    '--health-probe-bind-address=0',
  ]);
  return running;
}

async function kill(): Promise<void> {
  running?.kill('SIGKILL');
  await running?.exit;
  running = undefined;
}

const claimFirst = ['claim-first-0', 'claim-first-1', 'claim-first-2', 'claim-first-3'];
const volumeFirst = ['volume-first-0', 'volume-first-1', 'volume-first-2', 'volume-first-3'];

function each<T>(names: readonly string[], act: (name: string) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(names.map(act));
}

/** Deletes claim and volume, or the claim alone, in the order that the name says. */
async function release(name: string): Promise<void> {
  if (volumeFirst.includes(name)) {
    await hand.deleteVolume(name);
  }
  await hand.deleteClaim(name);
}

async function expectReclaimed(names: readonly string[]): Promise<void> {
  await each(names, (name) => eventually(`${name} is gone`, () => hand.volumeIsGone(name)));
  expect(names.filter((name) => storage.driver.hasVolume(hand.nameOf(name)))).toStrictEqual([]);
  expect(storage.driver.mostInFlight).toBe(1);
}

const isLost = (name: string): boolean =>
  plan.injected.some(({ request }) => request.name === hand.nameOf(name));
const hasStorage = (name: string): boolean => storage.driver.hasVolume(hand.nameOf(name));

interface Step {
  readonly name: string;
  /** What keeps the process from going further. */
  block(): void;
  isReached(name: string): Promise<boolean> | boolean;
}

const steps: readonly Step[] = [
  {
    name: 'while the driver deletes',
    block: () => storage.driver.inject({ kind: 'hold', until: new Promise(() => undefined) }),
    isReached: (name) => storage.driver.deletions.some(({ handle }) => handle === hand.nameOf(name)),
  },
  {
    name: 'after the storage is deleted, before the volume object is',
    block: () => plan.on(deletes, lost),
    isReached: (name) => !hasStorage(name) && isLost(name),
  },
  {
    name: 'after the volume object is deleted, before the finalizer is off',
    block: () => plan.on(patches, lost),
    isReached: async (name) =>
      !hasStorage(name) &&
      isLost(name) &&
      (await hand.volume(name))?.metadata.deletionTimestamp !== undefined,
  },
];

test.each(steps)(
  'killed $name, claim or volume deleted first -> the next process finishes',
  async ({ block, isReached }) => {
    const names = [claimFirst[0], volumeFirst[0]] as readonly string[];
    await each(names, (name) => hand.held(name));
    block();
    await each(names, release);
    await each(names, (name) => eventually(`${name} has come to the step`, () => isReached(name)));
    for (const name of names) {
      expect(await hand.finalizersOf(name)).toContain(csiFinalizer);
    }
    await kill();
    plan.clear();
    storage.driver.heal();
    start();
    await expectReclaimed(names);
  },
  60_000,
);

test('killed before the finalizer is on, nothing deleted yet -> the next process holds the volume', async () => {
  const names = [claimFirst[0], volumeFirst[0]] as readonly string[];
  plan.on(patches, lost);
  await each(names, (name) => hand.bound(name));
  await each(names, (name) => eventually(`${name} was to be held`, () => isLost(name)));
  await kill();
  for (const name of names) {
    expect(await hand.finalizersOf(name)).not.toContain(csiFinalizer);
  }
  plan.clear();
  start();
  await each(names, (name) =>
    eventually(`${name} is held`, async () => (await hand.finalizersOf(name)).includes(csiFinalizer)),
  );
  await each(names, release);
  await expectReclaimed(names);
}, 60_000);

test('everything deleted while no process runs -> the next finishes all', async () => {
  const names = [...claimFirst, ...volumeFirst];
  await each(names, (name) => hand.held(name));
  await kill();
  await each(names, release);
  expect(names.filter(hasStorage)).toEqual(names);
  start();
  await expectReclaimed(names);
}, 60_000);

test('SIGTERM to a process that finished what others began -> orderly end, exit 0', async () => {
  await hand.held('v');
  await hand.deleteClaim('v');
  await expectReclaimed(['v']);
  const last = start();
  last.kill('SIGTERM');
  expect(await last.exit).toEqual({ code: 0, signal: null });
  running = undefined;
}, 60_000);
