import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject, PersistentVolume } from '@holdfast/core';
import { ApiError, LookTooOld, TenureOver, type Look } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import { settled } from '@holdfast/testing/fake-clock';
import type { OurKeeper } from '../src/decide/snapshot.ts';
import type { StorageDeletionOptions } from '../src/storage-deletion.ts';
import { createVolumeDeleter } from '../src/volume-deleter.ts';
import { csiFinalizer, inTreeFinalizer, volume } from './objects.ts';

const csi: OurKeeper = {
  kind: 'csi',
  name: 'csi.example.com',
  finalizer: csiFinalizer,
  stale: undefined,
  canDelete: true,
};
const hostPath: OurKeeper = {
  kind: 'inTree',
  name: 'kubernetes.io/host-path',
  finalizer: inTreeFinalizer,
  stale: undefined,
  canDelete: true,
};
const { signal } = new AbortController();

/** A deleter whose calls come to an end when they are let to. What it deletes and how that ends is in `calls`. */
function open() {
  let now = 0;
  const calls: string[] = [];
  let gate = Promise.resolve();
  let answer: ApiError | undefined;
  let isOver = false;
  const deletion = async (
    name: string,
    { announce, beforeDeletion }: StorageDeletionOptions,
    beforeStep: () => void = () => undefined,
  ): Promise<void> => {
    await announce([]);
    beforeDeletion();
    calls.push(name);
    await gate;
    beforeStep();
    calls.push(`${name} done`);
  };
  const looks: (Look | undefined)[] = [];
  const deleter = createVolumeDeleter({
    client: {
      get: <T extends KubernetesObject>(
        _resource: object,
        { name }: { readonly name: string },
        options = {},
      ) => {
        looks.push((options as { readonly look?: Look }).look);
        return Promise.reject<T>(answer ?? new ApiError(`GET ${name}`, 404, { reason: 'NotFound' }));
      },
    },
    drivers: { deleteVolume: ({ handle }, options) => deletion(handle, options) },
    plugins: [
      {
        canDelete: ({ spec }) => spec?.hostPath !== undefined,
        delete: ({ spec }, options) => deletion(String(spec?.hostPath?.path), options, options.beforeStep),
      },
    ],
    lookClock: { now: () => now },
    isReleasedInCache: () => true,
    tenure: {
      check: () => {
        if (isOver) {
          throw new TenureOver();
        }
      },
    },
  });
  return {
    calls,
    looks,
    hold: (): (() => void) => {
      const held = Promise.withResolvers<undefined>();
      gate = held.promise.then(() => undefined);
      return () => held.resolve(undefined);
    },
    /** What is read can't be read. */
    fail: (error: ApiError) => {
      answer = error;
    },
    isUnderWay: deleter.isUnderWay,
    prepare: (cached: PersistentVolume, keeper: OurKeeper) => deleter.prepare(cached, keeper, signal),
    /** The process acts beyond its lease from now on. */
    endTenure: () => {
      isOver = true;
    },
    goOn: (duration: number) => {
      now += duration;
    },
    delete: async (
      of: PersistentVolume,
      keeper: OurKeeper,
      look: Look,
      {
        cached = of,
        announce = silently,
      }: { cached?: PersistentVolume; announce?: () => Promise<void> } = {},
    ) => (await deleter.prepare(cached, keeper, signal)).delete(of, keeper, { look, announce, signal }),
  };
}

const silently = (): Promise<void> => Promise.resolve();
const lookAt = (lookedAt: number): Look => ({ lookedAt, maxAge: 2_000 });
const plain = volume();
const folder = volume({ source: { hostPath: { path: '/tmp/v' } } });

const kinds = [
  { kind: 'CSI', of: plain, keeper: csi, name: 'handle' },
  { kind: 'hostPath', of: folder, keeper: hostPath, name: '/tmp/v' },
];

test.each(kinds)(
  'A0: $kind, look of 2 s ago -> deleted; older -> nothing is',
  async ({ of, keeper, name }) => {
    const { calls, delete: remove, goOn } = open();
    goOn(2_000);
    await remove(of, keeper, lookAt(0));
    expect(calls).toEqual([name, `${name} done`]);
    goOn(1);
    await expect(remove(of, keeper, lookAt(0))).rejects.toThrow(LookTooOld);
    expect(calls).toHaveLength(2);
  },
);

test('A0: look grows old while a deletion of the same storage is waited for -> no second call', async () => {
  const { calls, prepare, goOn, hold } = open();
  const [one, two] = [volume({ name: 'one' }), volume({ name: 'two' })];
  const end = hold();
  const prepared = await Promise.all([prepare(one, csi), prepare(two, csi)]);
  const first = prepared[0].delete(one, csi, { look: lookAt(0), announce: silently, signal });
  const second = prepared[1].delete(two, csi, { look: lookAt(0), announce: silently, signal });
  const outcome = expect(second).rejects.toThrow(LookTooOld);
  await eventually('the first is called', () => calls.length === 1);
  goOn(2_001);
  end();
  await first;
  await outcome;
  expect(calls).toEqual(['handle', 'handle done']);
});

test.each(kinds)(
  'H2: $kind, the lease has ended, and the look is young -> nothing is deleted',
  async (each) => {
    const { calls, delete: remove, endTenure } = open();
    endTenure();
    await expect(remove(each.of, each.keeper, lookAt(0))).rejects.toThrow(TenureOver);
    expect(calls).toStrictEqual([]);
  },
);

test('H2: the lease ends within a deletion of many steps -> no further one', async () => {
  const { calls, delete: remove, endTenure, hold } = open();
  const goOn = hold();
  const outcome = expect(remove(folder, hostPath, lookAt(0))).rejects.toThrow(TenureOver);
  await eventually('it has begun', () => calls.length === 1);
  endTenure();
  goOn();
  await outcome;
  expect(calls).toEqual(['/tmp/v']);
});

const ofClass = (storageClassName: string): PersistentVolume => ({
  ...plain,
  spec: { ...plain.spec, storageClassName },
});

test('class is read before the look -> it belongs to none, and is not read again', async () => {
  const { looks, delete: remove } = open();
  await remove(ofClass('fast'), csi, lookAt(0));
  expect(looks).toEqual([undefined]);
});

test('A0: volume has another class than the cache has -> read anew, as a part of the look', async () => {
  const { looks, delete: remove } = open();
  const look = lookAt(0);
  await remove(ofClass('fast'), csi, look, { cached: ofClass('slow') });
  expect(looks).toEqual([undefined, look]);
});

test('class can not be read before the look -> the deletion fails, not the preparation', async () => {
  const { calls, prepare, fail } = open();
  fail(new ApiError('GET fast', 500, { reason: 'InternalError' }));
  const prepared = await prepare(ofClass('fast'), csi);
  await expect(
    prepared.delete(ofClass('fast'), csi, { look: lookAt(0), announce: silently, signal }),
  ).rejects.toThrow(/500/);
  expect(calls).toStrictEqual([]);
});

test('deletion of the same storage is under way -> waited for before the look', async () => {
  const { calls, delete: remove, hold, prepare } = open();
  const end = hold();
  const first = remove(volume({ name: 'one' }), csi, lookAt(0));
  await eventually('the first is called', () => calls.length === 1);
  const prepared = prepare(volume({ name: 'two' }), csi).then(() => calls.push('prepared'));
  await settled();
  end();
  await Promise.all([first, prepared]);
  expect(calls).toEqual(['handle', 'handle done', 'prepared']);
});

test('deletion is under way -> it is one of the storage of each volume over it, until it has ended', async () => {
  const { calls, delete: remove, hold, isUnderWay } = open();
  const [one, two] = [volume({ name: 'one' }), volume({ name: 'two' })];
  expect(isUnderWay(one)).toBe(false);
  const end = hold();
  const first = remove(one, csi, lookAt(0));
  await eventually('the first is called', () => calls.length === 1);
  expect([one, two, folder].map(isUnderWay)).toEqual([true, true, false]);
  end();
  await first;
  expect(isUnderWay(one)).toBe(false);
});

test('Secret that the volume names is gone -> the driver is called, and the answer says so', async () => {
  const named = volume({
    annotations: {
      'volume.kubernetes.io/provisioner-deletion-secret-name': 'nas',
      'volume.kubernetes.io/provisioner-deletion-secret-namespace': 'shop',
    },
  });
  const { delete: remove } = open();
  expect(await remove(named, csi, lookAt(0))).toEqual({ withoutSecret: 'shop/nas' });
  expect(await remove(plain, csi, lookAt(0))).toEqual({ withoutSecret: undefined });
});

describe('announcing a deletion', () => {
  const never = (): Promise<void> => Promise.reject(new Error('announced'));

  test.each(kinds)('$kind, the look is too old -> not announced', async ({ of, keeper }) => {
    const { delete: remove, goOn } = open();
    goOn(2_001);
    await expect(remove(of, keeper, lookAt(0), { announce: never })).rejects.toThrow(LookTooOld);
  });

  test('what the driver needs can not be read -> not announced', async () => {
    const { delete: remove, fail } = open();
    fail(new ApiError('GET fast', 500, { reason: 'InternalError' }));
    await expect(remove(ofClass('fast'), csi, lookAt(0), { announce: never })).rejects.toThrow(/500/);
  });

  test.each(kinds)(
    '$kind, it takes longer than the look lasts -> nothing is deleted',
    async ({ of, keeper }) => {
      const { calls, delete: remove, goOn, isUnderWay } = open();
      const announce = async (): Promise<void> => {
        await settled();
        // A window that is asked for meanwhile does not begin.
        expect(isUnderWay(of)).toBe(true);
        goOn(2_001);
      };
      await expect(remove(of, keeper, lookAt(0), { announce })).rejects.toThrow(LookTooOld);
      expect(calls).toStrictEqual([]);
    },
  );
});
