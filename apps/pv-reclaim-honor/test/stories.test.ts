import { expect, test } from '@jest/globals';
import { isNotFound } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type CsiDriver } from '@holdfast/testing';
import fc from 'fast-check';
import { csiFinalizer } from './objects.ts';
import { handOf, openStage, openStorage, startBinder, type Hand } from './stage.ts';

/*
 * Whole stories on a control plane whose answers get lost now and then, with a driver that fails and crashes. Each step
 * waits for what it brings about only where the outcome depends on it, so that the rest happens in any order.
 */

const steps = [
  'retain',
  'delete',
  'deleteVolume',
  'attach',
  'detach',
  'restart',
  'driverFails',
  'driverCrashes',
] as const;

/** One volume with its claim. In the end the claim is deleted, and an attachment goes after it. */
interface Story {
  readonly policy: 'Delete' | 'Retain';
  readonly isDynamic: boolean;
  readonly before: readonly (typeof steps)[number][];
}

const story: fc.Arbitrary<Story> = fc.record({
  policy: fc.constantFrom('Delete', 'Retain'),
  isDynamic: fc.boolean(),
  before: fc.array(fc.constantFrom(...steps), { maxLength: 5 }),
});

test('any stories at once: data is there while it may be needed, and gone in the end where it is to go', async () => {
  await fc.assert(fc.asyncProperty(fc.array(story, { minLength: 3, maxLength: 5 }), fc.nat(), playTogether), {
    numRuns: 6,
    endOnFailure: true,
  });
}, 300_000);

async function playTogether(stories: readonly Story[], faultSeed: number): Promise<void> {
  const plan = createFaultPlan(faultSeed);
  const plane = await startEmbeddedControlPlane({ tls: false, faults: plan });
  const stage = await openStage(plane);
  const storage = await openStorage();
  const { driver } = storage;
  const binder = await startBinder(plane);
  const hand = handOf(stage, await stage.namespace(), driver);
  const start = () => stage.startController({ csiAddresses: [driver.address] }, { clock: stage.fastClock() });
  const endSupervision = supervise(driver);
  let restarts: Promise<unknown> = start();
  const restart = (): Promise<unknown> => {
    restarts = restarts.then(() => stage.stopControllers()).then(start);
    return restarts;
  };
  try {
    await restarts;
    plan.on(
      { userAgent: /^pv-reclaim-honor\//, verb: ['patch', 'delete', 'get'] },
      { kind: 'reset', when: 'after' },
      { probability: 0.1 },
    );
    const named = stories.map((each, index) => ({ name: `v${String(index)}`, story: each }));
    const toGo = await Promise.all(
      named.map(async (each) => ({ ...each, goes: await play(each, hand, driver, restart) })),
    );
    driver.heal();
    for (const { name, goes } of toGo) {
      if (goes) {
        await eventually(`${name} is gone`, () => hand.volumeIsGone(name), 60_000);
      } else if (!(await hand.volumeIsGone(name))) {
        // One that was deleted before may be going at this very moment.
        await hand.deleteVolume(name).catch((error: unknown) => {
          if (!isNotFound(error)) {
            throw error;
          }
        });
        await eventually(`${name} does not hang`, () => hand.volumeIsGone(name));
      }
      expect(driver.hasVolume(hand.nameOf(name))).toBe(!goes);
    }
    expect(driver.mostInFlight).toBeLessThanOrEqual(1);
  } finally {
    await restarts.catch(() => undefined);
    plan.clear();
    await endSupervision();
    await stage.close();
    await binder.stop();
    await storage.close();
    await plane.stop();
  }
}

/** Starts the driver again whenever it has crashed, as kubelet does. @returns ends that. */
function supervise(driver: CsiDriver): () => Promise<void> {
  const end = new AbortController();
  const supervision = (async () => {
    while (!end.signal.aborted) {
      // Refused while it serves.
      await driver.start().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return () => {
    end.abort();
    return supervision;
  };
}

/** Plays a story until its claim is gone and nothing is attached. @returns whether the storage is to go. */
async function play(
  { name, story: { policy, isDynamic, before } }: { readonly name: string; readonly story: Story },
  hand: Hand,
  driver: CsiDriver,
  restart: () => Promise<unknown>,
): Promise<boolean> {
  await hand.bound(name, {
    policy,
    ...(isDynamic ? { annotations: { 'pv.kubernetes.io/provisioned-by': driver.name } } : {}),
  });
  let current = policy;
  let attached = false;
  let terminating = false;
  let wasHeld = await follows(hand, name, current, terminating);
  for (const step of before) {
    switch (step) {
      case 'retain':
      case 'delete':
        current = step === 'retain' ? 'Retain' : 'Delete';
        await hand.setPolicy(name, current);
        wasHeld = await follows(hand, name, current, terminating);
        break;
      case 'deleteVolume':
        await hand.deleteVolume(name);
        terminating = true;
        break;
      case 'attach':
        if (!attached) {
          await hand.attach(name);
        }
        attached = true;
        break;
      case 'detach':
        if (attached) {
          await hand.detach(name);
        }
        attached = false;
        break;
      case 'restart':
        await restart();
        break;
      case 'driverFails':
        driver.inject({ kind: 'fail', code: 'INTERNAL', message: 'no' }, 1);
        break;
      case 'driverCrashes':
        driver.inject({ kind: 'crash', when: 'after' }, 1);
        break;
    }
    expect(driver.hasVolume(hand.nameOf(name))).toBe(true);
  }
  await hand.deleteClaim(name);
  if (attached) {
    // The controller has had the time of a request to do wrong.
    await hand.finalizersOf(name);
    expect(driver.hasVolume(hand.nameOf(name))).toBe(true);
    await hand.detach(name);
  }
  return current === 'Delete' && wasHeld;
}

/** Waits until the finalizer is as the policy wants it, where that can still change; answers whether it is on. */
async function follows(
  hand: Hand,
  name: string,
  policy: 'Delete' | 'Retain',
  terminating: boolean,
): Promise<boolean> {
  const isHeld = async (): Promise<boolean> => (await hand.finalizersOf(name)).includes(csiFinalizer);
  if (!(terminating && policy === 'Delete')) {
    await eventually(`${name} follows ${policy}`, async () => (await isHeld()) === (policy === 'Delete'));
  }
  return isHeld();
}
