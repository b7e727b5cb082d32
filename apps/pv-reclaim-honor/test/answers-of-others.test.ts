import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { persistentVolumes, storageClasses } from '@holdfast/core';
import { createFaultPlan, startEmbeddedControlPlane, type FaultPlan } from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import type { Stage, Storage } from './stage.ts';
import { useStorageScenes } from './storage-scene.ts';

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

test('404 that is no word of the API server, for the class that asks for an undo window -> counts as a failure, storage stays', async () => {
  const { driver } = storage;
  const reads: number[] = [];
  plan.on({ verb: 'get', resource: 'storageclasses' }, { kind: 'call', run: () => void reads.push(1) });
  plan.on(
    { verb: 'get', resource: 'storageclasses' },
    { kind: 'status', code: 404, reason: '', message: 'default backend - 404' },
    { times: 1 },
  );
  await stage.client.create(storageClasses, undefined, {
    metadata: { name: 'careful', annotations: { 'holdfast.dev/reclaim-grace': '24h' } },
    provisioner: driver.name,
  });
  await driver.addVolume('v');
  await stage.client.create(persistentVolumes, undefined, {
    metadata: { name: 'v', finalizers: [csiFinalizer] },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'careful',
      csi: { driver: driver.name, volumeHandle: 'v' },
      claimRef: { namespace: 'default', name: 'v', uid: 'gone' },
    },
  });
  await stage.client.patch(
    persistentVolumes,
    { name: 'v' },
    [{ op: 'add', path: '/status', value: { phase: 'Released' } }],
    { subresource: 'status' },
  );
  await stage.startController({ csiAddresses: [driver.address] }, time);
  await time.until('the class was read again', () => Promise.resolve(reads.length >= 2));
  await time.until('an Event says that there is no window', async () =>
    (await stage.eventsOn('default')).some(({ reason }) => reason === 'UndoWindowUnusable'),
  );
  expect(plan.injected.some(({ fault }) => fault.kind === 'status')).toBe(true);
  expect(driver.deletions).toStrictEqual([]);
}, 30_000);
