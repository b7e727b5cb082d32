import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import {
  createFaultPlan,
  startEmbeddedControlPlane,
  type Fault,
  type FaultMatch,
  type FaultPlan,
} from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { handOf, openStage, openStorage, startBinder, type Hand } from './stage.ts';

const ours = { userAgent: /^pv-reclaim-honor\//, resource: 'persistentvolumes' } as const;
/** The object's deletion; a volume that is terminating already comes straight to the patch. */
const deletes: FaultMatch = { ...ours, verb: ['delete', 'patch'] };
const patches: FaultMatch = { ...ours, verb: 'patch' };

/** The request never reaches the API server. */
const lost: Fault = { kind: 'reset', when: 'before' };

let cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.reverse()) {
    await step();
  }
  cleanUp = [];
}, 60_000);

interface World {
  readonly plan: FaultPlan;
  readonly hand: Hand;
  readonly storage: Awaited<ReturnType<typeof openStorage>>;
  /** Starts the app as a process. */
  start(): AppProcess;
}

async function open(): Promise<World> {
  const plan = createFaultPlan(1);
  const plane = await startEmbeddedControlPlane({ faults: plan });
  cleanUp.push(() => plane.stop());
  const stage = await openStage(plane);
  cleanUp.push(() => stage.close());
  const storage = await openStorage();
  cleanUp.push(() => storage.close());
  const binder = await startBinder(plane);
  cleanUp.push(() => binder.stop());
  const hand = handOf(stage, await stage.namespace(), storage.driver);
  const start = (): AppProcess => {
    const app = startApp('pv-reclaim-honor', [
      `--kubeconfig=${stage.kubeconfigFile}`,
      `--csi-address=${storage.driver.address}`,
      '--leader-elect=false',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
    ]);
    cleanUp.push(async () => {
      app.kill('SIGKILL');
      await app.exit;
    });
    return app;
  };
  return { plan, hand, storage, start };
}

async function kill(app: AppProcess): Promise<void> {
  app.kill('SIGKILL');
  await app.exit;
}

interface Step {
  readonly name: string;
  readonly match: FaultMatch | undefined;
  /** Brings the process to the step; answers when it is there. */
  reach(world: World, release: () => Promise<void>): Promise<void>;
}

const steps: readonly Step[] = [
  {
    name: 'while the driver deletes',
    match: undefined,
    reach: async ({ storage: { driver } }, release) => {
      const never = new Promise<void>(() => undefined);
      driver.inject({ kind: 'hold', until: never }, 1);
      await release();
      await eventually('the driver is asked', () => driver.deletions.length > 0);
    },
  },
  {
    name: 'after the storage is deleted, before the volume object is',
    match: deletes,
    reach: async ({ storage: { driver }, hand }, release) => {
      await release();
      await eventually('storage is gone', () => !driver.hasVolume(hand.nameOf('v')));
    },
  },
  {
    name: 'after the volume object is deleted, before the finalizer is off',
    match: patches,
    reach: async ({ storage: { driver }, hand }, release) => {
      await release();
      await eventually('volume is terminating, and storage gone', async () => {
        const volume = await hand.volume('v');
        return volume?.metadata.deletionTimestamp !== undefined && !driver.hasVolume(hand.nameOf('v'));
      });
    },
  },
];

describe.each([['claim first'], ['volume first']])('%s', (order) => {
  test.each(steps)(
    'killed $name -> the next process finishes',
    async ({ match, reach }) => {
      const world = await open();
      const { plan, hand, storage, start } = world;
      const first = start();
      await hand.held('v');
      if (match !== undefined) {
        plan.on(match, lost);
      }
      await reach(world, async () => {
        if (order === 'volume first') {
          await hand.deleteVolume('v');
        }
        await hand.deleteClaim('v');
      });
      expect(await hand.finalizersOf('v')).toContain(csiFinalizer);
      await kill(first);
      plan.clear();
      const second = start();
      await eventually('v is gone', () => hand.volumeIsGone('v'));
      expect(storage.driver.hasVolume(hand.nameOf('v'))).toBe(false);
      expect(storage.driver.mostInFlight).toBe(1);
      second.kill('SIGTERM');
      expect(await second.exit).toEqual({ code: 0, signal: null });
    },
    60_000,
  );

  test('killed before the finalizer is on, nothing deleted yet -> the next process holds the volume', async () => {
    const { plan, hand, storage, start } = await open();
    plan.on(patches, lost);
    const first = start();
    await hand.bound('v');
    await kill(first);
    plan.clear();
    start();
    await eventually('v is held', async () => (await hand.finalizersOf('v')).includes(csiFinalizer));
    if (order === 'volume first') {
      await hand.deleteVolume('v');
    }
    await hand.deleteClaim('v');
    await eventually('v is gone', () => hand.volumeIsGone('v'));
    expect(storage.driver.hasVolume(hand.nameOf('v'))).toBe(false);
  }, 60_000);

  test('killed while volumes wait, everything deleted while no process runs -> the next finishes all', async () => {
    const { hand, storage, start } = await open();
    const names = ['a', 'b', 'c', 'd'];
    const first = start();
    for (const name of names) {
      await hand.held(name);
    }
    await kill(first);
    for (const name of names) {
      if (order === 'volume first') {
        await hand.deleteVolume(name);
      }
      await hand.deleteClaim(name);
    }
    for (const name of names) {
      expect(storage.driver.hasVolume(hand.nameOf(name))).toBe(true);
    }
    start();
    for (const name of names) {
      await eventually(`${name} is gone`, () => hand.volumeIsGone(name));
    }
    expect(names.some((name) => storage.driver.hasVolume(hand.nameOf(name)))).toBe(false);
  }, 60_000);
});
