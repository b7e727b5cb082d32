import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { persistentVolumes } from '@holdfast/core';
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
}, 30_000);

/** The claims of the second namespace can not be listed. */
function close(code: number, reason: string): void {
  const [, closed = ''] = namespaces;
  plan.on(
    {
      ...madeBy('pv-reclaim-honor'),
      verb: ['list', 'watch'],
      resource: 'persistentvolumeclaims',
      namespace: closed,
    },
    { kind: 'status', code, reason },
  );
}

test('B1: claims of one namespace can not be read -> volumes of the other are reclaimed, its own when they can be', async () => {
  close(403, 'Forbidden');
  await there.bound('released', { finalizers: [csiFinalizer] });
  await there.deleteClaim('released');
  await there.bound('bound');
  const start = time.clock.now();
  await stage.startController({ namespaces, csiAddresses: [storage.driver.address] }, time);
  await hand.held('early');
  await hand.deleteClaim('early');
  await time.inStepsOf(1_000)('a volume is reclaimed', () => hand.volumeIsGone('early'));
  // The role of the other namespace might have been on its way.
  expect(time.clock.now() - start).toBeGreaterThanOrEqual(60_000);
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

test('claims of a namespace are not listed yet, and claimRef was taken from one -> nothing is deleted before, its volume when it goes', async () => {
  close(503, 'ServiceUnavailable');
  await hand.bound('released', { finalizers: [csiFinalizer] });
  await hand.deleteClaim('released');
  await there.bound('taken', { finalizers: [csiFinalizer] });
  await stage.client.patch(persistentVolumes, { name: there.nameOf('taken') }, [
    { op: 'replace', path: '/spec/claimRef/namespace', value: namespaces[0] ?? '' },
    { op: 'replace', path: '/spec/claimRef/name', value: 'another' },
    { op: 'replace', path: '/spec/claimRef/uid', value: 'gone' },
  ]);
  await time.until(
    'the binder sees it',
    async () => (await there.volume('taken'))?.status?.phase === 'Released',
  );
  await stage.startController({ namespaces, csiAddresses: [storage.driver.address] }, time);
  await hand.held('bound');
  await time.pass(60_000);
  expect(await there.finalizersOf('taken')).toContain(csiFinalizer);
  expect(await hand.finalizersOf('released')).toContain(csiFinalizer);
  plan.clear();
  await time.inStepsOf(1_000)('the other is deleted', () => hand.volumeIsGone('released'));
  await settled(hand);
  expect(await there.finalizersOf('taken')).toContain(csiFinalizer);
  await there.deleteClaim('taken');
  await time.until('it is deleted', () => there.volumeIsGone('taken'));
});
