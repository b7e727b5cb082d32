import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { collectionPath, persistentVolumes } from '@holdfast/core';
import { sleep } from '@holdfast/runtime';
import {
  startCsiDriver,
  startEmbeddedControlPlane,
  type CsiDriver,
  type EmbeddedControlPlane,
} from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { createPassingTime } from './passing-time.ts';
import { openStage, type Stage } from './stage.ts';

/* A driver with a bug: one volume ends it whenever it is to be deleted. */

let plane: EmbeddedControlPlane;
let stage: Stage;
let folder: string;
let driver: CsiDriver;
let crashes: number;
/** Starts the driver again. */
let restart: () => Promise<void>;
/** The volumes that end the driver. */
const fatal = ['fatal-0', 'fatal-1'];

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({ tls: false });
  stage = await openStage(plane);
  folder = await mkdtemp(join(tmpdir(), 'holdfast-crashing-'));
  crashes = 0;
  restart = () => driver.start();
  driver = await startCsiDriver({
    folder: join(folder, 'volumes'),
    socket: join(folder, 'csi.sock'),
    carryOut: async (handle, deletion) => {
      if (fatal.includes(handle)) {
        crashes += 1;
        await driver.crash();
        await restart();
        return;
      }
      const before = crashes;
      await pause(20);
      if (crashes === before) {
        await deletion();
      }
    },
  });
}, 30_000);

afterEach(async () => {
  await stage.close();
  await driver.stop();
  await rm(folder, { recursive: true, force: true });
  await plane.stop();
}, 30_000);

async function send(method: string, path: string, body: object): Promise<void> {
  const answer = await plane.apiServer.handle(
    method,
    `${collectionPath(persistentVolumes, undefined)}${path}`,
    JSON.stringify(body),
    method === 'PATCH' ? 'application/json-patch+json' : 'application/json',
  );
  expect(answer.code).toBeLessThan(300);
}

async function release(name: string): Promise<void> {
  await driver.addVolume(name);
  await send('POST', '', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, finalizers: [csiFinalizer] },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      csi: { driver: driver.name, volumeHandle: name },
      claimRef: { namespace: 'default', name, uid: crypto.randomUUID() },
    },
  });
  await send('PATCH', `/${name}/status`, [{ op: 'add', path: '/status', value: { phase: 'Released' } }]);
}

const others = Array.from({ length: 12 }, (_, index) => `v${String(index)}`);
const areDeleted = (): boolean => !others.some((name) => driver.hasVolume(name));
const releaseAll = async (bad = fatal.slice(0, 1)): Promise<void> => {
  for (const name of [...bad, ...others]) {
    await release(name);
  }
};

test('P4: one volume ends its driver whenever it is to be deleted -> the other volumes of the driver are deleted', async () => {
  await releaseAll();
  const time = createPassingTime();
  await stage.startController({ csiAddresses: [driver.address] }, time);
  await time.until('the others are deleted', areDeleted, 20_000);
  expect(crashes).toBeGreaterThan(0);
}, 60_000);

test.each([
  ['one volume ends', 1],
  ['two volumes end', 2],
])(
  'P4: %s its driver, and kubelet starts it later each time -> the other volumes are deleted',
  async (_, bad) => {
    await releaseAll(fatal.slice(0, bad));
    const time = createPassingTime();
    restart = async () => {
      await sleep(time.clock, Math.min(10_000 * 2 ** (crashes - 1), 300_000), new AbortController().signal);
      await driver.start();
    };
    await stage.startController({ csiAddresses: [driver.address] }, time);
    await time.inStepsOf(1_000)('the others are deleted', areDeleted, 50_000);
    expect(crashes).toBeGreaterThan(0);
  },
  60_000,
);
