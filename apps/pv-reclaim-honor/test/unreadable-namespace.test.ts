import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { madeBy } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type FaultPlan } from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { handOf, settled, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

const openScene = useBinderScenes(afterEach);
let plan: FaultPlan;
let stage: Stage;
let storage: Storage;
let time: PassingTime;
let namespaces: readonly string[];
let hand: Hand;
let there: Hand;

beforeEach(async () => {
  plan = createFaultPlan();
  ({ stage, storage } = await openScene(startEmbeddedControlPlane({ tls: false, faults: plan })));
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
