import { expect, test } from '@jest/globals';
import type { KubernetesObject, PersistentVolume } from '@holdfast/core';
import { ApiError, LookTooOld, type Look } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
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
  const deletion = async (name: string, { beforeDeletion }: StorageDeletionOptions): Promise<void> => {
    beforeDeletion();
    calls.push(name);
    await gate;
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
        return Promise.reject<T>(new ApiError(`GET ${name}`, 404, { reason: 'NotFound' }));
      },
    },
    drivers: { deleteVolume: ({ handle }, options) => deletion(handle, options) },
    plugins: [
      {
        canDelete: ({ spec }) => spec?.hostPath !== undefined,
        delete: ({ spec }, options) => deletion(String(spec?.hostPath?.path), options),
      },
    ],
    lookClock: { now: () => now },
  });
  return {
    calls,
    looks,
    hold: (): (() => void) => {
      const held = Promise.withResolvers<undefined>();
      gate = held.promise.then(() => undefined);
      return () => held.resolve(undefined);
    },
    goOn: (duration: number) => {
      now += duration;
    },
    delete: (of: PersistentVolume, keeper: OurKeeper, look: Look) =>
      deleter.delete(of, keeper, { look, signal }),
  };
}

const lookAt = (lookedAt: number): Look => ({ lookedAt, maxAge: 2_000 });
const plain = volume();
const folder = volume({ source: { hostPath: { path: '/tmp/v' } } });

test.each([
  { kind: 'CSI', of: plain, keeper: csi, name: 'handle' },
  { kind: 'hostPath', of: folder, keeper: hostPath, name: '/tmp/v' },
])('A0: $kind, look of 2 s ago -> deleted; older -> nothing is', async ({ of, keeper, name }) => {
  const { calls, delete: remove, goOn } = open();
  goOn(2_000);
  await remove(of, keeper, lookAt(0));
  expect(calls).toEqual([name, `${name} done`]);
  goOn(1);
  await expect(remove(of, keeper, lookAt(0))).rejects.toThrow(LookTooOld);
  expect(calls).toHaveLength(2);
});

test('A0: look grows old while a deletion of the same storage is waited for -> no second call', async () => {
  const { calls, delete: remove, goOn, hold } = open();
  const end = hold();
  const first = remove(volume({ name: 'one' }), csi, lookAt(0));
  const second = remove(volume({ name: 'two' }), csi, lookAt(0));
  const outcome = expect(second).rejects.toThrow(LookTooOld);
  await eventually('the first is called', () => calls.length === 1);
  goOn(2_001);
  end();
  await first;
  await outcome;
  expect(calls).toEqual(['handle', 'handle done']);
});

test('A0: class is read before the call -> it belongs to the look', async () => {
  const { looks, delete: remove } = open();
  const look = lookAt(0);
  const withStorageClass = volume();
  await remove(
    { ...withStorageClass, spec: { ...withStorageClass.spec, storageClassName: 'fast' } },
    csi,
    look,
  );
  expect(looks).toEqual([look]);
});
