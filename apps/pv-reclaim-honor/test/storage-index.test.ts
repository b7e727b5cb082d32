import { expect, test } from '@jest/globals';
import { objectKey, type PersistentVolume } from '@holdfast/core';
import fc from 'fast-check';
import { storageIdentityOf, storagesOverlap } from '../src/storage-identity.ts';
import { createStorageIndex } from '../src/storage-index.ts';
import { volume } from './objects.ts';

const path = fc
  .array(fc.constantFrom('a', 'b', '.', ''), { maxLength: 4 })
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
  { maxLength: 25 },
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
          expect([...index.overlapping(each)].sort()).toEqual(model.overlapping(each));
          const needed = model.neededBy(each);
          expect([...index.neededBy(each, 10)].sort()).toEqual(needed);
          const some = index.neededBy(each, 2);
          expect(some).toHaveLength(Math.min(2, needed.length));
          expect(needed).toEqual(expect.arrayContaining([...some]));
        }
      }
    }),
    { numRuns: 1_000 },
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
    { numRuns: 1_000 },
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
  expect(index.set(one, false)).toEqual([]);
  expect(index.set(one, true)).toEqual([]);
  expect(index.delete('v-2')).toEqual([]);
});
