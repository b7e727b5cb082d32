import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { collectionPath, persistentVolumeClaims, persistentVolumes } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { csiFinalizer } from './objects.ts';
import { createPassingTime, type PassingTime } from './passing-time.ts';
import { openStage, openStorage, type Stage, type Storage } from './stage.ts';

/* No binder runs: the phases are set by hand. */

let plane: EmbeddedControlPlane;
let stage: Stage;
let storage: Storage;
let time: PassingTime;
let namespace: string;
let answers: PromiseWithResolvers<undefined>;
/** The looks at claims that wait for their answer. */
let looks: number;

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({ tls: false });
  answers = Promise.withResolvers();
  looks = 0;
  const slow = (client: ApiClient): ApiClient => ({
    ...client,
    get: async (resource, ref, request) => {
      if (resource.plural === persistentVolumeClaims.plural) {
        looks += 1;
        await answers.promise;
      }
      return client.get(resource, ref, request);
    },
  });
  stage = await openStage(plane, slow);
  storage = await openStorage();
  time = createPassingTime();
  namespace = await stage.namespace();
}, 30_000);

afterEach(async () => {
  answers.resolve(undefined);
  await stage.close();
  await storage.close();
  await plane.stop();
}, 30_000);

const nameOf = (short: string): string => `${namespace}-${short}`;

async function createVolume(short: string, claimUid: string, phase: 'Bound' | 'Released'): Promise<void> {
  const name = nameOf(short);
  await send('POST', '', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      annotations: { 'holdfast.dev/reclaim-grace': '24h' },
      ...(phase === 'Released' ? { finalizers: [csiFinalizer] } : {}),
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      csi: { driver: storage.driver.name, volumeHandle: name },
      claimRef: { namespace, name: short, uid: claimUid },
    },
  });
  await send('PATCH', `/${name}/status`, [{ op: 'add', path: '/status', value: { phase } }]);
}

async function send(method: string, path: string, body: object): Promise<void> {
  const answer = await plane.apiServer.handle(
    method,
    `${collectionPath(persistentVolumes, undefined)}${path}`,
    JSON.stringify(body),
    method === 'PATCH' ? 'application/json-patch+json' : 'application/json',
  );
  expect(answer.code).toBeLessThan(300);
}

test('more undo windows are to begin than there are workers, and looks take long -> a bound volume is held', async () => {
  const released = Array.from({ length: 12 }, (_, at) => `released${String(at)}`);
  await Promise.all(released.map((short) => createVolume(short, crypto.randomUUID(), 'Released')));
  await stage.startController(
    { csiAddresses: [storage.driver.address], featureGates: 'ReclaimGracePeriod=true' },
    time,
  );
  await time.until('as many looks as there are workers wait', () => looks >= 10);
  const claim = await stage.client.create(persistentVolumeClaims, namespace, {
    metadata: { name: 'bound' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeName: nameOf('bound'),
    },
  });
  await createVolume('bound', claim.metadata.uid, 'Bound');
  const find = (short: string) => stage.find(persistentVolumes, { name: nameOf(short) });
  await time.until(
    'the bound volume is held',
    async () => (await find('bound'))?.metadata.finalizers?.includes(csiFinalizer) ?? false,
    10_000,
  );
  expect(looks).toBe(10);

  answers.resolve(undefined);
  for (const short of released) {
    await time.until(
      `${short} is marked`,
      async () => (await find(short))?.metadata.annotations?.['holdfast.dev/delete-after'] !== undefined,
    );
  }
}, 60_000);

test('claim that asks for a volume after the end of its undo window begins to be deleted before it gets it, and stays -> the storage goes', async () => {
  const before = Array.from({ length: 12 }, (_, at) => `before${String(at)}`);
  await Promise.all(before.map((short) => createVolume(short, crypto.randomUUID(), 'Released')));
  const find = () => stage.find(persistentVolumes, { name: nameOf('asked') });
  const released = crypto.randomUUID();
  await createVolume('asked', released, 'Released');
  const mark = {
    'holdfast.dev/delete-after': '2020-01-01T00:00:00Z',
    'holdfast.dev/delete-after-uid': (await find())?.metadata.uid,
    'holdfast.dev/delete-after-claim-uid': released,
  };
  const path = (name: string): string => `/metadata/annotations/${name.replace('/', '~1')}`;
  const patch = Object.entries(mark).map(([name, value]) => ({ op: 'add', path: path(name), value }));
  await send('PATCH', `/${nameOf('asked')}`, patch);
  await stage.client.create(persistentVolumeClaims, namespace, {
    metadata: { name: 'asked', finalizers: ['example.com/stays'] },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeName: nameOf('asked'),
    },
  });
  await stage.startController(
    { csiAddresses: [storage.driver.address], featureGates: 'ReclaimGracePeriod=true' },
    time,
  );
  await time.until('as many looks as there are workers wait', () => looks >= 10);
  await stage.client.delete(persistentVolumeClaims, { namespace, name: 'asked' });
  answers.resolve(undefined);
  await time.until(
    'the volume is let go',
    async () => (await find())?.metadata.finalizers?.includes(csiFinalizer) === false,
    10_000,
  );
}, 60_000);
