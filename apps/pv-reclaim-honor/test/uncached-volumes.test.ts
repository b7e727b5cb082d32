import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createUncachedVolumes, type UncachedVolume } from '../src/observe/uncached-volumes.ts';
import { volume } from './objects.ts';

test('many ask within a second -> one list serves them; later, or after a failure, another does; one that has taken the name counts', async () => {
  const clock = createFakeClock();
  const known = volume({ name: 'known' });
  let lists = 0;
  let isBroken = false;
  const uncached = createUncachedVolumes({
    list: async function* () {
      lists += 1;
      await Promise.resolve();
      if (isBroken) {
        throw new Error('no answer');
      }
      yield* [known, volume({ name: 'other' }), volume({ name: 'v' })];
    },
    cache: new Map([['known', known]]),
    clock,
  });
  const v = volume({ name: 'v' });
  expect(keysOf(await uncached.over(v))).toEqual(['other']);
  await clock.advance(999);
  await uncached.over(v);
  expect(lists).toBe(1);
  await clock.advance(1);
  isBroken = true;
  await expect(uncached.over(v)).rejects.toThrow('no answer');
  isBroken = false;
  expect(keysOf(await uncached.over(v))).toEqual(['other']);
  expect(lists).toBe(3);
  expect(keysOf(await uncached.over(volume({ source: { hostPath: { path: '/v' } } })))).toStrictEqual([]);
  expect(keysOf(await uncached.over(volume({ name: 'v', uid: 'of the one before' })))).toEqual([
    'other',
    'v',
  ]);
});

test.each([
  { takes: 100, serves: 1_000 },
  { takes: 300, serves: 1_500 },
  { takes: 400, serves: 2_000 },
  { takes: 1_500, serves: 7_500 },
  { takes: 2_500, serves: 10_000 },
  { takes: 20_000, serves: 10_000 },
])('list takes $takes ms -> serves until it is $serves ms old', async ({ takes, serves }) => {
  const clock = createFakeClock();
  let lists = 0;
  const uncached = createUncachedVolumes({
    list: async function* () {
      lists += 1;
      await clock.advance(takes);
      yield* [volume({ name: 'other' })];
    },
    cache: new Map(),
    clock,
  });
  const v = volume({ name: 'v' });
  await uncached.over(v);
  await clock.advance(Math.max(0, serves - takes - 1));
  await uncached.over(v);
  expect(lists).toBe(takes < serves ? 1 : 2);
  await clock.advance(1);
  await uncached.over(v);
  expect(lists).toBe(takes < serves ? 2 : 3);
});

test('X1: cache drops a volume while a list is under way, or young -> it counts', async () => {
  const clock = createFakeClock();
  const [early, late] = [volume({ name: 'early' }), volume({ name: 'late' })];
  const cache = new Map([early, late].map((each) => [each.metadata.name, each]));
  const drop = (dropped: typeof early): void => {
    cache.delete(dropped.metadata.name);
    uncached.dropped(dropped);
  };
  let lists = 0;
  const uncached = createUncachedVolumes({
    list: async function* () {
      lists += 1;
      await Promise.resolve();
      yield* [early, late];
      drop(early);
    },
    cache,
    clock,
  });
  const v = volume({ name: 'v' });
  expect(keysOf(await uncached.over(v))).toEqual(['early']);
  await clock.advance(999);
  drop(late);
  expect(keysOf(await uncached.over(v))).toEqual(['early', 'late']);
  expect(lists).toBe(1);
});

test('list that failed, or that is a second old -> a volume that the cache drops then counts for none of them', async () => {
  const clock = createFakeClock();
  const gone = volume({ name: 'gone' });
  let isBroken = true;
  const uncached = createUncachedVolumes({
    list: async function* () {
      await Promise.resolve();
      yield gone;
      if (isBroken) {
        throw new Error('no answer');
      }
    },
    cache: new Map([['gone', gone]]),
    clock,
  });
  const v = volume({ name: 'v' });
  await expect(uncached.over(v)).rejects.toThrow('no answer');
  uncached.dropped(gone);
  isBroken = false;
  expect(keysOf(await uncached.over(v))).toStrictEqual([]);
  uncached.dropped(gone);
  expect(keysOf(await uncached.over(v))).toEqual(['gone']);
  await clock.advance(1_000);
  uncached.dropped(gone);
  expect(keysOf(await uncached.over(v))).toStrictEqual([]);
});

test('X1: etcd was restored, and another volume made under the name in the version that the cache has of the one before -> it counts', async () => {
  const source = { csi: { driver: 'csi.example.com', volumeHandle: 'of the one before' } };
  const uncached = createUncachedVolumes({
    list: async function* () {
      await Promise.resolve();
      yield volume({ name: 'other', uid: 'made anew' });
    },
    cache: new Map([['other', volume({ name: 'other', source })]]),
    clock: createFakeClock(),
  });
  expect(keysOf(await uncached.over(volume({ name: 'v' })))).toEqual(['other']);
});

test('volume that the cache has in another version -> counts as the list has it', async () => {
  const cached = volume({
    name: 'other',
    source: { csi: { driver: 'csi.example.com', volumeHandle: 'before' } },
  });
  const listed = volume({ name: 'other' });
  const newer = { ...listed, metadata: { ...listed.metadata, resourceVersion: '8' } };
  const uncached = createUncachedVolumes({
    list: async function* () {
      await Promise.resolve();
      yield newer;
      yield volume({
        name: 'elsewhere',
        source: { csi: { driver: 'csi.example.com', volumeHandle: 'else' } },
      });
      yield volume({ name: 'folder', source: { hostPath: { path: '/v' } } });
    },
    cache: new Map([['other', cached]]),
    clock: createFakeClock(),
  });
  expect(keysOf(await uncached.over(volume({ name: 'v' })))).toEqual(['other']);
  // Where folders are is looked at by itself.
  expect(
    keysOf(await uncached.over(volume({ name: 'v', source: { hostPath: { path: '/v' } } }))),
  ).toStrictEqual([]);
});

test('Issue 19: volume that a list has -> as it is listed; one that the cache has dropped since -> its name alone', async () => {
  const [v, other, gone] = ['v', 'other', 'gone'].map((name) => volume({ name }));
  if (v === undefined || other === undefined || gone === undefined) {
    throw new Error('three volumes were made');
  }
  const uncached = createUncachedVolumes({
    list: async function* () {
      yield* await Promise.resolve([v, other]);
    },
    cache: new Map(),
    clock: createFakeClock(),
  });
  expect(await uncached.over(v)).toEqual([{ key: 'other', listed: other }]);
  uncached.dropped(gone);
  expect(await uncached.over(v)).toEqual([
    { key: 'gone', listed: undefined },
    { key: 'other', listed: other },
  ]);
});

test('cache has dropped a volume over other storage -> it does not count', async () => {
  const source = { csi: { driver: 'csi.example.com', volumeHandle: 'else' } };
  const uncached = createUncachedVolumes({
    list: async function* () {
      yield* await Promise.resolve([]);
    },
    cache: new Map(),
    clock: createFakeClock(),
  });
  const v = volume({ name: 'v' });
  await uncached.over(v);
  uncached.dropped(volume({ name: 'elsewhere', source }));
  expect(await uncached.over(v)).toStrictEqual([]);
});

test('volume that names no storage -> none is over it', async () => {
  const uncached = createUncachedVolumes({
    list: async function* () {
      yield* await Promise.resolve([volume({ name: 'other' })]);
    },
    cache: new Map(),
    clock: createFakeClock(),
  });
  const source = { csi: { driver: 'csi.example.com', volumeHandle: '' } };
  expect(await uncached.over(volume({ name: 'v', source }))).toStrictEqual([]);
});

function keysOf(volumes: readonly UncachedVolume[]): readonly string[] {
  return volumes.map(({ key }) => key);
}
