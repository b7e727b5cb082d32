import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { collectionPath, persistentVolumes } from '@holdfast/core';
import {
  startCsiDriver,
  startEmbeddedControlPlane,
  type CsiDriver,
  type EmbeddedControlPlane,
} from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { createPassingTime } from './passing-time.ts';
import { openStage, type Stage } from './stage.ts';

/* A driver with a bug: one volume ends it whenever it is to be deleted. Whatever starts it again does so at once. */

let plane: EmbeddedControlPlane;
let stage: Stage;
let folder: string;
let driver: CsiDriver;
let crashes: number;
const fatal = 'fatal';

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({ tls: false });
  stage = await openStage(plane);
  folder = await mkdtemp(join(tmpdir(), 'holdfast-crashing-'));
  crashes = 0;
  driver = await startCsiDriver({
    folder: join(folder, 'volumes'),
    socket: join(folder, 'csi.sock'),
    carryOut: async (handle, deletion) => {
      if (handle === fatal) {
        crashes += 1;
        await driver.crash();
        await driver.start();
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

test('P4: one volume ends its driver whenever it is to be deleted -> the other volumes of the driver are deleted', async () => {
  const others = Array.from({ length: 12 }, (_, index) => `v${String(index)}`);
  await release(fatal);
  for (const name of others) {
    await release(name);
  }
  const time = createPassingTime();
  await stage.startController({ csiAddresses: [driver.address] }, time);
  await time.until('the others are deleted', () => !others.some((name) => driver.hasVolume(name)), 20_000);
  expect(crashes).toBeGreaterThan(0);
}, 60_000);
