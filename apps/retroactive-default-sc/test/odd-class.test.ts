import { expect, test } from '@jest/globals';
import type { StorageClass } from '@holdfast/core';
import { defaultForSure } from '../src/default-for-sure.ts';
import { isDefaultClass, isDefaultClassBeta, storageClass } from './objects.ts';

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
  {
    what: 'true where the text "true" belongs',
    metadata: { annotations: { [isDefaultClass]: true }, creationTimestamp: '2026-01-03T00:00:00Z' },
  },
  { what: 'default, of no time', metadata: { annotations: { [isDefaultClass]: 'true' } } },
  {
    what: 'default, of a time that is none',
    metadata: { annotations: { [isDefaultClass]: 'true' }, creationTimestamp: 'yesterday' },
  },
  {
    what: 'default, of an hour that no day has',
    metadata: { annotations: { [isDefaultClass]: 'true' }, creationTimestamp: '2026-01-01T24:00:60Z' },
  },
  {
    what: 'default, of a day that no month has',
    metadata: { annotations: { [isDefaultClass]: 'true' }, creationTimestamp: '2025-02-30T00:00:00Z' },
  },
  {
    what: 'annotations are a list, newer',
    metadata: { annotations: [], creationTimestamp: '2026-01-03T00:00:00Z' },
  },
  {
    what: 'true where the text "true" belongs, and the other annotation is text',
    metadata: {
      annotations: { [isDefaultClass]: 'false', [isDefaultClassBeta]: true },
      creationTimestamp: '2026-01-03T00:00:00Z',
    },
  },
  {
    what: 'default, of a time with a fraction, which goes before that of the same second as text',
    metadata: { annotations: { [isDefaultClass]: 'true' }, creationTimestamp: '2026-01-02T00:00:00.5Z' },
  },
  {
    what: 'default, of a time in another zone',
    metadata: { annotations: { [isDefaultClass]: 'true' }, creationTimestamp: '2026-01-01T23:00:00-02:00' },
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
  {
    what: 'annotations are null',
    metadata: { annotations: null, creationTimestamp: '2026-01-03T00:00:00Z' },
  },
  { what: 'annotations are null, of odd time', metadata: { annotations: null, creationTimestamp: 7 } },
  {
    what: 'an annotation is null',
    metadata: { annotations: { [isDefaultClass]: null }, creationTimestamp: '2026-01-03T00:00:00Z' },
  },
  {
    what: 'terminating, default, of odd time',
    metadata: {
      annotations: { [isDefaultClass]: 'true' },
      creationTimestamp: 7,
      deletionTimestamp: '2026-01-03T00:00:00Z',
    },
  },
  { what: 'without annotations', metadata: { creationTimestamp: '2026-01-03T00:00:00Z' } },
])('X2: odd class, $what -> the default is given all the same', ({ metadata }) => {
  expect(defaultForSure([odd(metadata), gold])).toBe(gold);
});

test('X2: two odd classes, either of which might be the default -> the error names the first', () => {
  const metadata = { annotations: 'x', creationTimestamp: '2026-01-03T00:00:00Z' };
  expect(() => defaultForSure([odd(metadata), gold, odd({ ...metadata, name: 'second' })])).toThrow(mightBe);
});
