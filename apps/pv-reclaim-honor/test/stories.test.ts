import { expect, test } from '@jest/globals';
import { isNotFound } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane } from '@holdfast/testing';
import fc from 'fast-check';
import { csiFinalizer } from './objects.ts';
import { handOf, openStage, openStorage, startBinder, type Hand } from './stage.ts';

/*
 * Whole stories on a control plane whose answers get lost now and then, with a driver that fails and crashes. Each step waits for
 * what it brings about only where the outcome depends on it, so that the rest happens in any order.
 */

type Step =
  'retain' | 'delete' | 'deleteVolume' | 'attach' | 'detach' | 'restart' | 'driverFails' | 'driverCrashes';

const story = fc.record({
  policy: fc.constantFrom('Delete' as const, 'Retain' as const),
  isDynamic: fc.boolean(),
  before: fc.array(
    fc.constantFrom<Step>(
      'retain',
      'delete',
      'deleteVolume',
      'attach',
      'detach',
      'restart',
      'driverFails',
      'driverCrashes',
    ),
    { maxLength: 5 },
  ),
});

test('any stories at once: data is there while it may be needed, and gone in the end where it is to go', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(story, { minLength: 3, maxLength: 5 }), async (stories) => {
      const plan = createFaultPlan(2644);
      const plane = await startEmbeddedControlPlane({ faults: plan });
      const stage = await openStage(plane);
      const storage = await openStorage();
      const { driver } = storage;
      const binder = await startBinder(plane);
      const hand = handOf(stage, await stage.namespace(), driver);
      const app = { csiAddresses: [driver.address] };
      // What kubelet does for a container that ends.
      let isSupervised = true;
      const supervise = async (): Promise<void> => {
        while (isSupervised) {
          await driver.start().catch(() => undefined);
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
      };
      const supervision = supervise();
      let restarts: Promise<unknown> = stage.startController(app);
      try {
        await restarts;
        plan.on(
          { userAgent: /^pv-reclaim-honor\//, verb: ['patch', 'delete', 'get'] },
          { kind: 'reset', when: 'after' },
          { probability: 0.1 },
        );
        const play = async (
          index: number,
          { policy, isDynamic, before }: (typeof stories)[number],
        ): Promise<boolean> => {
          const name = `v${String(index)}`;
          const shape = {
            policy,
            ...(isDynamic ? { annotations: { 'pv.kubernetes.io/provisioned-by': driver.name } } : {}),
          };
          await hand.bound(name, shape);
          let current: 'Delete' | 'Retain' = policy;
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
                restarts = restarts
                  .then(() => stage.stopControllers())
                  .then(() => stage.startController(app));
                await restarts;
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
            await hand.finalizersOf(name);
            expect(driver.hasVolume(hand.nameOf(name))).toBe(true);
            await hand.detach(name);
          }
          return current === 'Delete' && wasHeld;
        };
        const toGo = await Promise.all(stories.map((each, index) => play(index, each)));
        driver.heal();
        for (const [index, goes] of toGo.entries()) {
          const name = `v${String(index)}`;
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
        isSupervised = false;
        await supervision;
        await stage.close();
        await binder.stop();
        await storage.close();
        await plane.stop();
      }
    }),
    { seed: 2644, numRuns: 6, endOnFailure: true },
  );
}, 300_000);

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
