import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { persistentVolumes } from '@holdfast/core';
import { madeBy } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { inTreeFinalizer } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { openStage, type Stage } from './stage.ts';

/* No binder runs: the phases are set by hand. */

let plane: EmbeddedControlPlane;
let stage: Stage;
let time: PassingTime;
let root: string;
/** Pages of lists of all volumes that the app has asked for. */
let lists: number;

beforeEach(async () => {
  const plan = createFaultPlan().on(
    { ...madeBy('pv-reclaim-honor'), verb: 'list', resource: 'persistentvolumes' },
    {
      kind: 'call',
      run: () => {
        lists += 1;
      },
    },
  );
  plane = await startEmbeddedControlPlane({
    tls: false,
    faults: plan,
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  });
  stage = await openStage(plane);
  time = createPassingTime();
  root = await mkdtemp(join(tmpdir(), 'holdfast-bulk-'));
}, 30_000);

afterEach(async () => {
  await stage.close();
  await plane.stop();
  await rm(root, { recursive: true, force: true });
}, 30_000);

async function createReleased(name: string, policy: 'Delete' | 'Retain', path = name): Promise<void> {
  await mkdir(join(root, path), { recursive: true });
  await writeFile(join(root, path, 'data'), name);
  await stage.client.create(persistentVolumes, undefined, {
    metadata: { name, ...(policy === 'Delete' ? { finalizers: [inTreeFinalizer] } : {}) },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: policy,
      hostPath: { path: join(root, path) },
      claimRef: { namespace: 'default', name, uid: crypto.randomUUID() },
    },
  });
  await stage.client.patch(
    persistentVolumes,
    { name },
    [{ op: 'add', path: '/status', value: { phase: 'Released' } }],
    { subresource: 'status' },
  );
}

test('many hostPath volumes are released at once -> deleted after a few looks at the folders of all volumes, kept ones stay', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `old-${String(at)}`);
  await Promise.all(names.map((name) => createReleased(name, 'Delete')));
  await createReleased('kept', 'Retain');
  await createReleased('around-kept', 'Delete', 'kept/..//kept');
  lists = 0;
  await stage.startController({ hostPathRoot: root }, time);
  await time.until('they are gone', async () => {
    const { items } = await stage.client.list(persistentVolumes);
    return items.length === 2;
  });
  expect(names.filter((name) => existsSync(join(root, name)))).toStrictEqual([]);
  expect(existsSync(join(root, 'kept', 'data'))).toBe(true);
  expect(await stage.find(persistentVolumes, { name: 'around-kept' })).toBeDefined();
  // Each by itself they would be 61, by two at a time half of that.
  expect(lists).toBeLessThan(25);
}, 60_000);
