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

test('P1: volumes come, change and go -> each finds the others that overlap by comparison, and itself never', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ volume: volumes, goes: fc.boolean() }), { maxLength: 20 }),
      (changes) => {
        const index = createStorageIndex();
        const there = new Map<string, PersistentVolume>();
        for (const change of changes) {
          const key = objectKey(change.volume);
          if (change.goes) {
            index.delete(key);
            there.delete(key);
          } else {
            index.set(change.volume);
            there.set(key, change.volume);
          }
          for (const each of [...there.values(), change.volume]) {
            const others = [...there.values()].filter(
              (other) => objectKey(other) !== objectKey(each) && overlap(each, other),
            );
            expect([...index.overlapping(each)].sort()).toEqual(others.map(objectKey).sort());
          }
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
