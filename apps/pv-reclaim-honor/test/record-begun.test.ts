import { beforeEach, expect, test } from '@jest/globals';
import { persistentVolumes, type JsonPatch, type PersistentVolume } from '@holdfast/core';
import { useSuiteStage } from '@holdfast/scenario';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { createRecordBegun } from '../src/record-begun.ts';
import { openStage } from './stage.ts';

const stage = useSuiteStage({ startPlane: () => startEmbeddedControlPlane({ tls: false }), openStage });
const { signal } = new AbortController();
const annotation = 'holdfast.dev/deletion-begun';
let namespace: string;

beforeEach(async () => {
  namespace = await stage().namespace();
});

const create = (short: string, annotations?: Readonly<Record<string, string>>): Promise<PersistentVolume> =>
  stage().client.create(persistentVolumes, undefined, {
    metadata: {
      name: `${namespace}-${short}`,
      finalizers: ['example.com/hold'],
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: { namespace, name: short, uid: `claim-${short}` },
      csi: { driver: 'csi.example.com', volumeHandle: namespace },
    },
  });
const now = async ({ metadata }: PersistentVolume): Promise<PersistentVolume> => {
  const found = await stage().find(persistentVolumes, { name: metadata.name });
  if (found === undefined) {
    throw new Error(`volume ${metadata.name} is gone`);
  }
  return found;
};
const recordOf = async (volume: PersistentVolume): Promise<string | undefined> =>
  (await now(volume)).metadata.annotations?.[annotation];
const change = async ({ metadata }: PersistentVolume, patch: JsonPatch): Promise<void> => {
  await stage().client.patch(persistentVolumes, { name: metadata.name }, patch);
};
const terminate = async (volume: PersistentVolume): Promise<PersistentVolume> => {
  await stage().client.delete(persistentVolumes, { name: volume.metadata.name });
  return now(volume);
};
const record = (volume: PersistentVolume, ...others: readonly PersistentVolume[]) =>
  createRecordBegun(stage().client)(volume, others, { signal });

test('others over the storage, one of which was seen in a part -> recorded on all, once', async () => {
  const [one, two, three] = [
    await create('v'),
    await create('w', { 'example.com/x': 'y' }),
    await create('x'),
  ];
  const { metadata } = two;
  const part = {
    metadata: { name: metadata.name, uid: metadata.uid, resourceVersion: metadata.resourceVersion },
  };
  expect(await record(one, part, three)).toBeUndefined();
  for (const [short, volume] of Object.entries({ v: one, w: two, x: three })) {
    expect(await recordOf(volume)).toBe(`${volume.metadata.uid}/claim-${short}`);
  }
  expect((await now(two)).metadata.annotations).toMatchObject({ 'example.com/x': 'y' });

  const before = await now(one);
  expect(await record(before, await now(two))).toBeUndefined();
  expect(await now(one)).toEqual(before);
});

test('a window was asked for on another since it was looked at -> nothing is recorded on the volume', async () => {
  const [one, two] = [await create('v'), await create('w', {})];
  await change(two, [
    { op: 'add', path: '/metadata/annotations', value: { 'holdfast.dev/reclaim-grace': '1h' } },
  ]);
  expect(await record(one, two)).toMatchObject({ kind: 'outdated' });
  expect(await Promise.all([one, two].map(recordOf))).toEqual([undefined, undefined]);
});

test('the volume itself has changed since -> not recorded', async () => {
  const one = await create('v');
  await change(one, [{ op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Retain' }]);
  expect(await record(one)).toMatchObject({ kind: 'outdated' });
  expect(await recordOf(one)).toBeUndefined();
});

test('terminating, or gone -> nothing to record', async () => {
  const [one, two, three] = [await create('v'), await create('w'), await create('x')];
  await terminate(three);
  await change(three, [{ op: 'remove', path: '/metadata/finalizers' }]);
  expect(await record(await terminate(one), await terminate(two), three)).toBeUndefined();
  expect(await Promise.all([one, two].map(recordOf))).toEqual([undefined, undefined]);
});
