import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { madeBy } from '@holdfast/scenario';
import {
  createFaultPlan,
  startEmbeddedControlPlane,
  type EmbeddedControlPlane,
  type FaultPlan,
} from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { handOf, openStage, openStorage, settled, startBinder, type Hand, type Stage } from './stage.ts';

let plan: FaultPlan;
let plane: EmbeddedControlPlane;
let stage: Stage;
let storage: Awaited<ReturnType<typeof openStorage>>;
let binder: { stop(): Promise<void> };
let time: PassingTime;
let namespaces: readonly string[];
let hand: Hand;
let there: Hand;

beforeEach(async () => {
  plan = createFaultPlan();
  plane = await startEmbeddedControlPlane({ tls: false, faults: plan });
  stage = await openStage(plane);
  storage = await openStorage();
  binder = await startBinder(plane);
  time = createPassingTime();
  namespaces = [await stage.namespace(), await stage.namespace()];
  const [open = '', closed = ''] = namespaces;
  hand = handOf(stage, open, storage.driver, time.until);
  there = handOf(stage, closed, storage.driver, time.until);
  plan.on(
    {
      ...madeBy('pv-reclaim-honor'),
      verb: ['list', 'watch'],
      resource: 'persistentvolumeclaims',
      namespace: closed,
    },
    { kind: 'status', code: 403, reason: 'Forbidden' },
  );
}, 30_000);

afterEach(async () => {
  await stage.close();
  await binder.stop();
  await storage.close();
  await plane.stop();
}, 30_000);

test('B1: claims of one namespace can not be read -> volumes of the other are reclaimed, its own when they can be', async () => {
  await there.bound('released', { finalizers: [csiFinalizer] });
  await there.deleteClaim('released');
  await there.bound('bound');
  await stage.startController({ namespaces, csiAddresses: [storage.driver.address] }, time);
  await settled(hand);
  expect(plan.injected.length).toBeGreaterThan(0);
  expect(await there.finalizersOf('released')).toContain(csiFinalizer);
  expect(await there.finalizersOf('bound')).not.toContain(csiFinalizer);
  plan.clear();
  await time.inStepsOf(1_000)('the released volume is deleted', () => there.volumeIsGone('released'));
  await time.until('the other is held', async () =>
    (await there.finalizersOf('bound')).includes(csiFinalizer),
  );
});
