import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { collectionPath, persistentVolumeClaims, persistentVolumes } from '@holdfast/core';
import type { StagedController } from '@holdfast/scenario';
import { startEmbeddedControlPlane, type CsiDriver, type EmbeddedControlPlane } from '@holdfast/testing';
import { csiFinalizer, pvProtection } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { openStage, openStorage, type Options, type Stage, type Storage } from './stage.ts';

/* No binder runs: the phases are set by hand, so that many volumes cost little. */

let plane: EmbeddedControlPlane;
let stage: Stage;
let time: PassingTime;
let namespace: string;
let storages: Storage[];
let hanging: CsiDriver;
let healthy: CsiDriver;
let app: Options;
let answers: PromiseWithResolvers<undefined>;
/** `csiTimeout` is longer than any test: a call ends when the driver answers, or when it is given up. */
const never = 3_600_000;

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({ tls: false });
  stage = await openStage(plane);
  time = createPassingTime();
  namespace = await stage.namespace();
  storages = [
    await openStorage({ name: 'hanging.example.com' }),
    await openStorage({ name: 'healthy.example.com' }),
  ];
  [hanging, healthy] = storages.map(({ driver }) => driver) as [CsiDriver, CsiDriver];
  answers = Promise.withResolvers();
  hanging.inject({ kind: 'hold', until: answers.promise });
  app = { csiAddresses: [hanging.address, healthy.address], csiTimeout: never };
}, 30_000);

afterEach(async () => {
  hanging.heal();
  answers.resolve(undefined);
  await stage.close();
  await Promise.all(storages.map((storage) => storage.close()));
  await plane.stop();
}, 30_000);

const nameOf = (short: string): string => `${namespace}-${short}`;

async function createVolume(
  driver: CsiDriver,
  short: string,
  claimUid: string,
  phase: 'Bound' | 'Released',
): Promise<void> {
  const name = nameOf(short);
  await driver.addVolume(name);
  await send('POST', '', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, ...(phase === 'Released' ? { finalizers: [csiFinalizer] } : {}) },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      csi: { driver: driver.name, volumeHandle: name },
      claimRef: { namespace, name: short, uid: claimUid },
    },
  });
  await send('PATCH', `/${name}/status`, [{ op: 'add', path: '/status', value: { phase } }]);
}

/** Past the network: a hundred volumes would take a tenth of a second of CPU time. */
async function send(method: string, path: string, body: object): Promise<void> {
  const answer = await plane.apiServer.handle(
    method,
    `${collectionPath(persistentVolumes, undefined)}${path}`,
    JSON.stringify(body),
    method === 'PATCH' ? 'application/json-patch+json' : 'application/json',
  );
  expect(answer.code).toBeLessThan(300);
}

const release = (driver: CsiDriver, short: string): Promise<void> =>
  createVolume(driver, short, crypto.randomUUID(), 'Released');

async function bind(driver: CsiDriver, short: string): Promise<void> {
  const claim = await stage.client.create(persistentVolumeClaims, namespace, {
    metadata: { name: short },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeName: nameOf(short),
    },
  });
  await createVolume(driver, short, claim.metadata.uid, 'Bound');
}

const found = (short: string) => stage.find(persistentVolumes, { name: nameOf(short) });
const isHeld = async (short: string): Promise<boolean> =>
  (await found(short))?.metadata.finalizers?.includes(csiFinalizer) ?? false;
/** Deleted, and let go of by us: volume protection, which nobody takes off here, is left. */
const isReclaimed = async (short: string): Promise<boolean> => {
  const { deletionTimestamp, finalizers } = (await found(short))?.metadata ?? {};
  return deletionTimestamp !== undefined && finalizers?.join() === pvProtection;
};
const namesOf = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index)}`);

/** Starts the app, and resolves when the driver has as many calls under way as it is ever given at once. */
async function startWhileItHangs(count: number): Promise<StagedController> {
  await Promise.all(namesOf('stuck', count).map((short) => release(hanging, short)));
  const running = await stage.startController(app, time);
  await time.until('the driver is asked and does not answer', () => hanging.deletions.length >= 10);
  return running;
}

test('P4: driver never answers, 100 volumes wait for it -> volumes of another driver are held, let go of and deleted', async () => {
  const running = await startWhileItHangs(100);
  await Promise.all([
    ...namesOf('bound', 20).map((short) => bind(healthy, short)),
    ...namesOf('bound-to-the-hanging', 20).map((short) => bind(hanging, short)),
    ...namesOf('released', 40).map((short) => release(healthy, short)),
  ]);
  for (const short of [...namesOf('bound', 20), ...namesOf('bound-to-the-hanging', 20)]) {
    await time.until(`${short} is held`, () => isHeld(short));
  }
  for (const short of namesOf('released', 40)) {
    await time.until(`${short} is reclaimed`, () => isReclaimed(short));
    expect(healthy.hasVolume(nameOf(short))).toBe(false);
  }
  await stage.client.patch(persistentVolumes, { name: nameOf('bound0') }, [
    { op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Retain' },
  ]);
  await time.until('bound0 is let go of', async () => !(await isHeld('bound0')));
  // As many calls as there are workers, whatever waits.
  expect(hanging.deletions).toHaveLength(10);
  expect(hanging.mostInFlight).toBe(1);
  await running.abandon();
}, 120_000);

test('P4: lease lost while a driver hangs -> ends at once, nothing is taken further; the next process finishes', async () => {
  const running = await startWhileItHangs(12);
  await running.abandon();
  for (const short of namesOf('stuck', 12)) {
    expect(await isHeld(short)).toBe(true);
    expect((await found(short))?.metadata.deletionTimestamp).toBeUndefined();
  }
  hanging.heal();
  answers.resolve(undefined);
  await stage.startController(app, time);
  for (const short of namesOf('stuck', 12)) {
    await time.until(`${short} is reclaimed`, () => isReclaimed(short));
    expect(hanging.hasVolume(nameOf(short))).toBe(false);
  }
}, 60_000);

test('P4: driver answers again -> all that waited for it is deleted, each volume by one call at a time', async () => {
  await startWhileItHangs(40);
  hanging.heal();
  answers.resolve(undefined);
  for (const short of namesOf('stuck', 40)) {
    await time.until(`${short} is reclaimed`, () => isReclaimed(short));
    expect(hanging.hasVolume(nameOf(short))).toBe(false);
  }
  expect(hanging.mostInFlight).toBe(1);
}, 60_000);
