import { expect, test } from '@jest/globals';
import type { StorageClass } from '@holdfast/core';
import { defaultForSure } from '../src/default-for-sure.ts';
import { isDefaultClass, storageClass } from './objects.ts';

const gold = storageClass({ made: '2026-01-02T00:00:00Z' });
const odd = (metadata: object): StorageClass => ({
  ...gold,
  metadata: { name: 'odd', uid: 'u', resourceVersion: '1', ...metadata },
});
const mightBe = 'StorageClass "odd" can\'t be read, and might be the default class; mend it or delete it';

test.each<{ what: string; metadata: object }>([
  {
    what: 'annotations are text, newer',
    metadata: { annotations: 'x', creationTimestamp: '2026-01-03T00:00:00Z' },
  },
  {
    what: 'annotations are text, as old',
    metadata: { annotations: 'x', creationTimestamp: '2026-01-02T00:00:00Z' },
  },
  { what: 'annotations are text, of no time', metadata: { annotations: 'x' } },
  {
    what: 'default, of odd time',
    metadata: { annotations: { [isDefaultClass]: 'true' }, creationTimestamp: 7 },
  },
  { what: 'nothing but its name is known', metadata: { uid: '', resourceVersion: '' } },
])('X2: odd class, $what -> no class is given, and the error names it', ({ metadata }) => {
  expect(() => defaultForSure([gold, odd(metadata)])).toThrow(mightBe);
  expect(() => defaultForSure([odd(metadata)])).toThrow(mightBe);
});

test.each<{ what: string; metadata: object }>([
  {
    what: 'annotations are text, older',
    metadata: { annotations: 'x', creationTimestamp: '2026-01-01T00:00:00Z' },
  },
  {
    what: 'not the default, of odd time',
    metadata: { annotations: { [isDefaultClass]: 'false' }, creationTimestamp: 7 },
  },
  { what: 'terminating', metadata: { annotations: 'x', deletionTimestamp: '2026-01-03T00:00:00Z' } },
  { what: 'without annotations', metadata: { creationTimestamp: '2026-01-03T00:00:00Z' } },
])('X2: odd class, $what -> the default is given all the same', ({ metadata }) => {
  expect(defaultForSure([odd(metadata), gold])).toBe(gold);
});
