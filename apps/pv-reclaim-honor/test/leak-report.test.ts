import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { persistentVolumes } from '@holdfast/core';
import type { StagedController } from '@holdfast/scenario';
import { startEmbeddedControlPlane, type CsiListAnswer, type EmbeddedControlPlane } from '@holdfast/testing';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { openStage, openStorage, type Stage, type Storage } from './stage.ts';

let plane: EmbeddedControlPlane;
let stage: Stage;
let storage: Storage;
let other: Storage;
let time: PassingTime;
const minute = 60_000;

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({ tls: false });
  stage = await openStage(plane);
  storage = await openStorage({ canListVolumes: true });
  other = await openStorage({ name: 'other.holdfast.dev', canListVolumes: true });
  time = createPassingTime();
}, 30_000);
afterEach(async () => {
  await stage.close();
  await storage.close();
  await other.close();
  await plane.stop();
}, 30_000);

const start = (featureGates = 'LeakReport=true'): Promise<StagedController> =>
  stage.startController(
    { csiAddresses: [storage.driver.address, other.driver.address], csiTimeout: 500, featureGates },
    time,
  );
const named = async (handle: string, driver = storage.driver.name): Promise<void> => {
  await stage.client.create(persistentVolumes, undefined, {
    metadata: { name: handle },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      csi: { driver, volumeHandle: handle },
    },
  });
};
const unclaimed = async ({ registry }: StagedController, driver = storage.driver.name) => {
  const metric = await registry.getSingleMetric('pv_reclaim_unclaimed_storage_volumes')?.get();
  return metric?.values.find(({ labels }) => labels['driver'] === driver)?.value;
};
const lists = async ({ registry }: StagedController, result: string, driver = storage.driver.name) => {
  const metric = await registry.getSingleMetric('pv_reclaim_storage_lists_total')?.get();
  const found = metric?.values.find(
    ({ labels }) => labels['driver'] === driver && labels['result'] === result,
  );
  return found?.value ?? 0;
};

test('storage that no PersistentVolume names for over an hour -> counted; nothing is deleted', async () => {
  for (const handle of ['a', 'b', 'c']) {
    await storage.driver.addVolume(handle);
  }
  await named('a');
  const controller = await start();
  await time.inStepsOf(minute)('it is listed', async () => (await lists(controller, 'whole')) > 0);
  expect(await unclaimed(controller)).toBe(0);
  await time.inStepsOf(minute)('two are counted', async () => (await unclaimed(controller)) === 2);
  await named('b');
  await time.inStepsOf(minute)('one is counted', async () => (await unclaimed(controller)) === 1);
  expect(['a', 'b', 'c'].every((handle) => storage.driver.hasVolume(handle))).toBe(true);
  expect(storage.driver.deletions).toStrictEqual([]);
}, 60_000);

test('a driver that never answers, or errs, or lies -> the other is reported all the same', async () => {
  await other.driver.addVolume('x');
  const controller = await start();
  let token = 0;
  const answers: readonly (() => CsiListAnswer)[] = [
    () => 'never',
    () => ({ code: 'INTERNAL', message: 'no' }),
    () => ({ handles: [undefined, undefined], nextToken: 'again' }),
    () => ({ handles: [undefined, 'y'], nextToken: `t${String((token += 1) % 5)}` }),
  ];
  for (const answer of answers) {
    storage.driver.answerLists(answer);
    const [partial, whole] = [
      await lists(controller, 'partial'),
      await lists(controller, 'whole', other.driver.name),
    ];
    await time.inStepsOf(minute)(
      'both are listed as far as they can be',
      async () =>
        (await lists(controller, 'partial')) > partial &&
        (await lists(controller, 'whole', other.driver.name)) > whole,
    );
  }
  await time.inStepsOf(minute)(
    'that of the other is counted',
    async () => (await unclaimed(controller, other.driver.name)) === 1,
  );
  expect(await unclaimed(controller)).toBeUndefined();
}, 60_000);

test('gate off -> no driver is asked', async () => {
  await start('');
  await time.pass(20 * minute);
  expect(storage.driver.lists).toStrictEqual([]);
}, 60_000);

test('the leader has ended -> what it counted is no more to be seen', async () => {
  await storage.driver.addVolume('a');
  const controller = await start();
  await time.inStepsOf(minute)('one is counted', async () => (await unclaimed(controller)) === 1);
  await controller.stop();
  expect(await unclaimed(controller)).toBeUndefined();
}, 60_000);
