import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { persistentVolumes } from '@holdfast/core';
import { createFaultPlan, startEmbeddedControlPlane, type FaultPlan } from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import type { Stage, Storage } from './stage.ts';
import { useStorageScenes } from './storage-scene.ts';

/*
 * A volume of which the cache knows nothing, since the watch of volumes is silent from the beginning.
 */

let plan: FaultPlan;
afterEach(() => plan.clear());
const open = useStorageScenes(afterEach);
let stage: Stage;
let storage: Storage;
let time: PassingTime;

beforeEach(async () => {
  plan = createFaultPlan(1);
  ({ stage, storage } = await open(startEmbeddedControlPlane({ tls: false, faults: plan })));
  time = createPassingTime();
}, 30_000);

const userAgent = /^pv-reclaim-honor\//;

const create = (name: string, policy: 'Delete' | 'Retain', finalizers: string[]) =>
  stage.client.create(persistentVolumes, undefined, {
    metadata: { name, finalizers },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: policy,
      csi: { driver: storage.driver.name, volumeHandle: 'v' },
      claimRef: { namespace: 'default', name, uid: 'gone' },
    },
  });

test('volume of the same handle is made while the watch is silent -> nothing is deleted while it needs its storage', async () => {
  const { driver } = storage;
  await driver.addVolume('v');
  await create('v', 'Delete', [csiFinalizer]);
  await stage.client.patch(
    persistentVolumes,
    { name: 'v' },
    [{ op: 'add', path: '/status', value: { phase: 'Released' } }],
    { subresource: 'status' },
  );
  // The first is the list, which is streamed.
  plan.on(
    { verb: 'watch', resource: 'persistentvolumes', userAgent },
    { kind: 'stallWatch', afterEvents: 0 },
    { nth: 2 },
  );
  let looks = 0;
  plan.on(
    { verb: 'get', resource: 'persistentvolumes', name: 'v', userAgent },
    {
      kind: 'call',
      run: async () => {
        looks += 1;
        if (looks === 1) {
          await create('kept', 'Retain', []);
        }
      },
    },
  );
  await stage.startController({ csiAddresses: [driver.address] }, time);
  await time.until('v was looked at twice', () => looks === 2);
  expect(plan.injected.some(({ fault }) => fault.kind === 'stallWatch')).toBe(true);
  expect(driver.deletions).toStrictEqual([]);

  await stage.client.patch(persistentVolumes, { name: 'kept' }, [
    { op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Delete' },
  ]);
  await time.inStepsOf(1_000)('its storage is deleted', () => !driver.hasVolume('v'));
}, 60_000);
