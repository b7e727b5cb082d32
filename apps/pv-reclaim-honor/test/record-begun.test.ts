import { beforeEach, expect, test } from '@jest/globals';
import { persistentVolumes, type JsonPatch, type PersistentVolume } from '@holdfast/core';
import { TenureOver } from '@holdfast/runtime';
import { useSuiteStage } from '@holdfast/scenario';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { OvertakenError } from '../src/overtaken-error.ts';
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
  await record(one, part, three, three, one);
  for (const [short, volume] of Object.entries({ v: one, w: two, x: three })) {
    expect(await recordOf(volume)).toBe(`${volume.metadata.uid}/claim-${short}`);
  }
  expect((await now(two)).metadata.annotations).toMatchObject({ 'example.com/x': 'y' });

  const before = await now(one);
  const mustWriteNothing = { get: stage().client.get, patch: () => Promise.reject(new Error('written')) };
  await createRecordBegun(mustWriteNothing)(before, [await now(two)], { signal });
  expect(await now(one)).toEqual(before);
});

test('a window was asked for on another since it was looked at -> nothing is recorded on the volume', async () => {
  const [one, two] = [await create('v'), await create('w', {})];
  await change(two, [
    { op: 'add', path: '/metadata/annotations', value: { 'holdfast.dev/reclaim-grace': '1h' } },
  ]);
  await expect(record(one, two)).rejects.toThrow(OvertakenError);
  expect(await Promise.all([one, two].map(recordOf))).toEqual([undefined, undefined]);
});

test('the volume itself has changed since -> not recorded', async () => {
  const one = await create('v');
  await change(one, [{ op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Retain' }]);
  await expect(record(one)).rejects.toThrow(OvertakenError);
  expect(await recordOf(one)).toBeUndefined();
});

test('terminating, or gone -> nothing to record', async () => {
  const [one, two, three] = [await create('v'), await create('w'), await create('x')];
  await terminate(three);
  await change(three, [{ op: 'remove', path: '/metadata/finalizers' }]);
  await record(await terminate(one), await terminate(two), three);
  expect(await Promise.all([one, two].map(recordOf))).toEqual([undefined, undefined]);
});

test('another is seen in two versions -> outdated, and nothing is recorded on the volume', async () => {
  const [one, two] = [await create('v'), await create('w', {})];
  await change(two, [{ op: 'add', path: '/metadata/labels', value: { x: 'y' } }]);
  await expect(record(one, await now(two), two)).rejects.toThrow(OvertakenError);
  expect(await recordOf(one)).toBeUndefined();
});

test('the annotations of another leave no room -> the error names it and says why, and the volume is not recorded', async () => {
  const [one, two] = [await create('v'), await create('w', { 'example.com/x': 'y'.repeat(262_110) })];
  await expect(record(one, two)).rejects.toThrow(
    new RegExp(`${annotation} can't be written on volume ${two.metadata.name}: .*262144`),
  );
  expect(await recordOf(one)).toBeUndefined();
});

test('a volume of another UID has the name and version of another, as after a restore of etcd -> not recorded', async () => {
  const [one, two] = [await create('v'), await create('w', {})];
  await expect(record(one, { ...two, metadata: { ...two.metadata, uid: 'before' } })).rejects.toThrow(
    OvertakenError,
  );
  expect(await Promise.all([one, two].map(recordOf))).toEqual([undefined, undefined]);
});

test('the lease has ended -> thrown as it is', async () => {
  const one = await create('v');
  const client = {
    get: () => Promise.reject(new Error('not asked')),
    patch: () => Promise.reject(new TenureOver()),
  };
  await expect(createRecordBegun(client)(one, [], { signal })).rejects.toThrow(TenureOver);
});

test.each([
  { what: 'a mark from before', deleteAfter: '2026-01-01T00:00:00Z' },
  { what: 'a mark whose time somebody might correct', deleteAfter: 'tomorrow' },
])(
  'the gate is off -> recorded only on a volume that has $what: a claim can still get it',
  async ({ deleteAfter }) => {
    const [one, two, three] = [await create('v'), await create('w', {}), await create('x')];
    const mark = {
      'holdfast.dev/delete-after': deleteAfter,
      'holdfast.dev/delete-after-uid': two.metadata.uid,
      'holdfast.dev/delete-after-claim-uid': 'claim-w',
    };
    await change(two, [{ op: 'add', path: '/metadata/annotations', value: mark }]);
    const marked = await now(two);
    await createRecordBegun(stage().client, { onlyMarked: true })(one, [marked, three], { signal });
    expect(await Promise.all([one, two, three].map(recordOf))).toEqual([
      undefined,
      `${two.metadata.uid}/claim-w`,
      undefined,
    ]);
  },
);
