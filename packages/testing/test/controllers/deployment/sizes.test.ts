import { describe, expect, test } from '@jest/globals';
import type { Deployment, ReplicaSet } from '@holdfast/core';
import {
  maxSurge,
  maxUnavailable,
  newSetSize,
  oldSetSizes,
  scaledSizes,
  type Size,
} from '../../../src/controllers/deployment/sizes.ts';

type Bound = number | string;

function deployment(replicas: number, surge: Bound, unavailable: Bound, type = 'RollingUpdate'): Deployment {
  return {
    metadata: { name: 'd', uid: 'd', resourceVersion: '1' },
    spec: {
      replicas,
      selector: {},
      template: {},
      strategy: { type, rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } },
    },
    status: { replicas: 0 },
  };
}

const recreate = (replicas: number): Deployment => deployment(replicas, 0, 0, 'Recreate');

interface Given {
  readonly replicas: number;
  /** Default all. */
  readonly available?: number;
  readonly sizedFor?: number;
  readonly max?: number;
}

function set(name: string, { replicas, available = replicas, sizedFor, max }: Given): ReplicaSet {
  const note = (key: string, value: number | undefined): object =>
    value === undefined ? {} : { [`deployment.kubernetes.io/${key}`]: String(value) };
  return {
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      creationTimestamp: new Date(Date.UTC(2030, 0, 1, 0, name.charCodeAt(0))).toISOString(),
      annotations: { ...note('desired-replicas', sizedFor), ...note('max-replicas', max) },
    },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  };
}

const shown = (sizes: readonly Size[]): readonly string[] =>
  sizes.map((size) => `${size.set.metadata.name} ${size.replicas}`);

test.each([
  { replicas: 10, surge: 3, unavailable: 2, expected: [3, 2] },
  { replicas: 10, surge: '25%', unavailable: '25%', expected: [3, 2] },
  { replicas: 1, surge: '25%', unavailable: '25%', expected: [1, 0] },
  { replicas: 2, surge: 0, unavailable: '10%', expected: [0, 1] },
  { replicas: 2, surge: 1, unavailable: 5, expected: [1, 2] },
  { replicas: 0, surge: 1, unavailable: 1, expected: [1, 0] },
])(
  '$replicas replicas, surge $surge, unavailable $unavailable -> $expected',
  ({ replicas, surge, unavailable, expected }) => {
    const given = deployment(replicas, surge, unavailable);
    expect([maxSurge(given), maxUnavailable(given)]).toEqual(expected);
  },
);

test('Recreate -> no surge, and nothing may be missing', () => {
  const given = deployment(4, 2, 2, 'Recreate');
  expect([maxSurge(given), maxUnavailable(given)]).toEqual([0, 0]);
});

describe('new set', () => {
  test.each([
    { what: 'as much as the surge leaves', given: deployment(4, 2, 0), present: 1, old: 4, size: 2 },
    { what: 'nothing is left', given: deployment(4, 1, 0), present: 1, old: 4, size: 1 },
    { what: 'more than may be are there', given: deployment(4, 0, 1), present: 2, old: 4, size: 2 },
    { what: 'no more than is wanted', given: deployment(4, 9, 0), present: 3, old: 0, size: 4 },
    { what: 'it has too many', given: deployment(4, 0, 1), present: 6, old: 2, size: 4 },
    { what: 'Recreate', given: recreate(4), present: 1, old: 4, size: 4 },
  ])('$what -> $size', ({ given, present, old, size }) => {
    const sets = [set('a', { replicas: old }), set('b', { replicas: present })];
    expect(newSetSize(given, present, sets)).toBe(size);
  });
});

describe('old sets in a rolling update', () => {
  const given = deployment(4, 1, 1);
  test.each([
    { what: 'none has pods', old: [{ replicas: 0 }], fresh: { replicas: 4 }, sizes: [] },
    {
      what: 'new pods are not available, as few as may be are',
      old: [{ replicas: 3 }],
      fresh: { replicas: 2, available: 0 },
      sizes: [],
    },
    { what: 'one may be missing', old: [{ replicas: 4 }], fresh: { replicas: 0 }, sizes: ['a 3'] },
    { what: 'new ones are there', old: [{ replicas: 3 }], fresh: { replicas: 2 }, sizes: ['a 1'] },
    {
      what: 'some are not available, and go first',
      old: [
        { replicas: 3, available: 3 },
        { replicas: 2, available: 0 },
      ],
      fresh: { replicas: 0 },
      sizes: ['b 0'],
    },
    {
      what: 'two have pods, and the older goes first',
      old: [{ replicas: 2 }, { replicas: 2 }],
      fresh: { replicas: 2 },
      sizes: ['a 0', 'b 1'],
    },
  ])('$what -> $sizes', ({ old, fresh, sizes }) => {
    const sets = old.map((each, index) => set('abc'.charAt(index), each));
    expect(shown(oldSetSizes(given, set('z', fresh), sets.toReversed()))).toEqual(sizes);
  });
});

describe('sizes after scaling', () => {
  test.each([
    { what: 'no set', old: [], fresh: undefined, sizes: [] },
    {
      what: 'only empty old sets',
      old: [{ replicas: 0 }, { replicas: 0 }],
      fresh: undefined,
      sizes: ['b 6'],
    },
    { what: 'new set, empty', old: [{ replicas: 0 }], fresh: { replicas: 0 }, sizes: ['z 6'] },
    { what: 'one old set has pods', old: [{ replicas: 3 }], fresh: { replicas: 0 }, sizes: ['a 6'] },
    { what: 'it has them all', old: [], fresh: { replicas: 6 }, sizes: [] },
    {
      what: 'new set has all, available',
      old: [{ replicas: 2 }, { replicas: 1 }],
      fresh: { replicas: 6, sizedFor: 6 },
      sizes: ['a 0', 'b 0'],
    },
    {
      what: 'grown',
      old: [{ replicas: 2, max: 4 }],
      fresh: { replicas: 2, max: 4, sizedFor: 3 },
      sizes: ['z 4', 'a 4'],
    },
    {
      what: 'shrunk',
      old: [{ replicas: 6, max: 16 }],
      fresh: { replicas: 10, max: 16, sizedFor: 14 },
      sizes: ['z 5', 'a 3'],
    },
    {
      what: 'rounding leaves some, for the largest',
      old: [
        { replicas: 1, max: 6 },
        { replicas: 1, max: 6 },
      ],
      fresh: { replicas: 3, max: 6, sizedFor: 4 },
      sizes: ['z 6', 'b 1', 'a 1'],
    },
    {
      what: 'rounding takes more than there is from the smallest',
      old: [
        { replicas: 1, max: 5 },
        { replicas: 1, max: 5 },
      ],
      fresh: { replicas: 3, max: 5, sizedFor: 3 },
      sizes: ['z 5', 'b 2', 'a 1'],
    },
  ])('$what -> $sizes', ({ old, fresh, sizes }) => {
    const sets = old.map((each, index) => set('abc'.charAt(index), each));
    const newSet = fresh === undefined ? undefined : set('z', fresh);
    expect(shown(scaledSizes(deployment(6, 2, 0), newSet, sets))).toEqual(sizes);
  });

  test('to 0, several sets have pods -> all 0', () => {
    const sizes = scaledSizes(deployment(0, 2, 0), set('z', { replicas: 3 }), [set('a', { replicas: 2 })]);
    expect(shown(sizes)).toEqual(['z 0', 'a 0']);
  });

  test('Recreate, several sets have pods -> as they are', () => {
    expect(scaledSizes(recreate(6), set('z', { replicas: 3 }), [set('a', { replicas: 2 })])).toStrictEqual(
      [],
    );
  });
});
