import { describe, expect, test } from '@jest/globals';
import { objectKey, type PersistentVolume } from '@holdfast/core';
import fc from 'fast-check';
import { storageIdentityOf, storagesOverlap } from '../src/storage-identity.ts';
import { createStorageIndex } from '../src/storage-index.ts';
import { volume } from './objects.ts';

const path = fc
  .array(fc.constantFrom('a', 'b', '.', ''), { maxLength: 4, size: 'max' })
  .map((steps) => `/${steps.join('/')}`);
const sources = fc.oneof(
  path.map((each) => ({ hostPath: { path: each } })),
  path.map((each) => ({ local: { path: each } })),
  path.map((each) => ({ nfs: { server: 's', path: each } })),
  fc.constantFrom('h', 'i').map((volumeHandle) => ({ csi: { driver: 'd', volumeHandle } })),
  fc.constant({}),
);
const volumes = fc
  .record({ name: fc.constantFrom('v', 'w', 'x', 'y', 'z'), source: sources })
  .map((shape) => volume(shape));

function overlap(one: PersistentVolume, other: PersistentVolume): boolean {
  const [a, b] = [storageIdentityOf(one), storageIdentityOf(other)];
  return a !== undefined && b !== undefined && storagesOverlap(a, b);
}

interface Change {
  readonly volume: PersistentVolume;
  readonly needs: boolean;
  readonly goes: boolean;
}
const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({ volume: volumes, needs: fc.boolean(), goes: fc.boolean() }),
  { maxLength: 25, size: 'max' },
);

/** What is there, by comparing each with each. */
function createModel() {
  const there = new Map<string, Change>();
  const othersOver = (one: PersistentVolume): readonly Change[] =>
    [...there.values()].filter(
      ({ volume: other }) => objectKey(other) !== objectKey(one) && overlap(one, other),
    );
  return {
    there,
    hasVolumeOver: (one: PersistentVolume) =>
      [...there.values()].some(({ volume: other }) => overlap(one, other)),
    overlapping: (one: PersistentVolume) =>
      othersOver(one)
        .map((each) => objectKey(each.volume))
        .sort(),
    neededBy: (one: PersistentVolume) =>
      othersOver(one)
        .filter(({ needs }) => needs)
        .map((each) => objectKey(each.volume))
        .sort(),
  };
}

test('P1: volumes come, change and go -> each finds the others that overlap, and those that need it, and itself never', () => {
  fc.assert(
    fc.property(changes, (plan) => {
      const index = createStorageIndex();
      const model = createModel();
      const [found, expected]: [unknown[], unknown[]] = [[], []];
      for (const change of plan) {
        const key = objectKey(change.volume);
        if (change.goes) {
          index.delete(key);
          model.there.delete(key);
        } else {
          index.set(change.volume, change.needs);
          model.there.set(key, change);
        }
        for (const each of [...[...model.there.values()].map(({ volume: one }) => one), change.volume]) {
          const steps = storageIdentityOf(each);
          const needed = model.neededBy(each);
          const some = index.neededBy(each, 2);
          found.push([
            [...index.overlapping(each)].sort(),
            [...index.neededBy(each, 10)].sort(),
            some.length,
            some.filter((one) => !needed.includes(one)),
            steps !== undefined && index.hasVolumeOver(steps),
          ]);
          expected.push([
            model.overlapping(each),
            needed,
            Math.min(2, needed.length),
            [],
            model.hasVolumeOver(each),
          ]);
        }
      }
      // Once for a plan: an assertion costs more than what it looks at.
      expect(found).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test('P5: volumes come, change and go -> those are named that were held up and are no more, and no others', () => {
  fc.assert(
    fc.property(changes, (plan) => {
      const index = createStorageIndex();
      const model = createModel();
      const heldUp = (): ReadonlySet<string> =>
        new Set(
          [...model.there.values()]
            .filter((each) => !each.needs && model.neededBy(each.volume).length > 0)
            .map((each) => objectKey(each.volume)),
        );
      for (const change of plan) {
        const key = objectKey(change.volume);
        const before = heldUp();
        const freed = change.goes ? index.delete(key) : index.set(change.volume, change.needs);
        if (change.goes) {
          model.there.delete(key);
        } else {
          model.there.set(key, change);
        }
        const after = heldUp();
        // Of the one that has changed its own event tells.
        const expected = [...before].filter((each) => each !== key && !after.has(each));
        expect([...freed].sort()).toEqual(expected.sort());
      }
    }),
    { numRuns: 500 },
  );
});

test('P5: 100,000 volumes over one storage, changes of one that is not the last to need it -> no other is named', () => {
  const index = createStorageIndex();
  const source = { nfs: { server: 's', path: '/export' } };
  for (let at = 0; at < 100_000; at++) {
    index.set(volume({ name: `v-${String(at)}`, source }), at % 2 === 0);
  }
  const one = volume({ name: 'v-0', source });
  expect(index.neededBy(one, 3)).toHaveLength(3);
  expect(index.set(one, false)).toStrictEqual([]);
  expect(index.set(one, true)).toStrictEqual([]);
  expect(index.delete('v-2')).toStrictEqual([]);
});

const folder = (name: string, path: string): PersistentVolume =>
  volume({ name, source: { hostPath: { path } } });

test('P5: one no longer needs its storage, of which another needs a part of a part -> what is between stays held up', () => {
  const index = createStorageIndex();
  index.set(folder('around', '/a'), true);
  index.set(folder('between', '/a/b'), false);
  index.set(folder('within', '/a/b/c'), true);
  expect(index.delete('around')).toStrictEqual([]);
  expect(index.delete('within')).toEqual(['between']);
});

test('P5: one no longer needs its storage, of which another needs a part -> what is within that part stays held up', () => {
  const index = createStorageIndex();
  index.set(folder('around', '/a'), true);
  index.set(folder('part', '/a/b'), true);
  index.set(folder('within', '/a/b/c'), false);
  expect(index.delete('around')).toStrictEqual([]);
  expect(index.delete('part')).toEqual(['within']);
});

describe('volume whose storage might be any', () => {
  const odd = { ...volume({ name: 'odd' }), spec: 'none' } as unknown as PersistentVolume;

  test('needs its storage -> every other finds it', () => {
    const index = createStorageIndex();
    index.set(odd, true);
    expect(index.neededBy(folder('v', '/a'), 3)).toEqual(['odd']);
    expect(index.overlapping(folder('v', '/a'))).toEqual(['odd']);
    expect(index.hasVolumeOver(['folder', 'a'])).toBe(true);
  });

  test('another needs its storage -> found by it', () => {
    const index = createStorageIndex();
    index.set(folder('v', '/a'), true);
    expect(index.neededBy(odd, 3)).toEqual(['v']);
    expect(index.overlapping(odd)).toEqual(['v']);
  });
});

test.each([
  { name: 'none', there: [], is: false },
  { name: 'one over it, that does not need it', there: [['/a/b', false]], is: true },
  { name: 'one over a part of it', there: [['/a/b/c/d', true]], is: true },
  { name: 'one over that which it is a part of', there: [['/a', false]], is: true },
  { name: 'one beside it', there: [['/a/c', true]], is: false },
  { name: 'one beside a part of the way', there: [['/c/b', true]], is: false },
] as const)('storage /a/b, volumes: $name -> there is one over it: $is', ({ there, is }) => {
  const index = createStorageIndex();
  const made = there.map(([path, needs], at) => ({ one: folder(`v-${String(at)}`, path), needs }));
  made.forEach(({ one, needs }) => index.set(one, needs));
  expect(index.hasVolumeOver(['folder', 'a', 'b'])).toBe(is);
  made.forEach(({ one }) => index.delete(objectKey(one)));
  expect(index.hasVolumeOver(['folder', 'a', 'b'])).toBe(false);
  expect(index.hasVolumeOver(['folder'])).toBe(false);
});
