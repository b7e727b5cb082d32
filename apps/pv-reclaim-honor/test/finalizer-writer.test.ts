import { expect, test } from '@jest/globals';
import type { JsonPatch, KubernetesObject } from '@holdfast/core';
import { createFinalizerWriter, type FinalizerDifference } from '../src/finalizer-writer.ts';
import { csiFinalizer, inTreeFinalizer, pvProtection, volume } from './objects.ts';

function open() {
  const sent: JsonPatch[] = [];
  const counted: string[] = [];
  const write = createFinalizerWriter(
    {
      patch: async <T extends KubernetesObject>(_resource: object, _ref: object, patch: JsonPatch) => {
        sent.push(patch);
        await Promise.resolve();
        return volume() as unknown as T;
      },
    },
    { finalizer: (operation, outcome) => counted.push(`${operation} ${outcome}`) },
  );
  return { sent, counted, write };
}

const list = '/metadata/finalizers';
const foreign = ['example.com/z', pvProtection];

test.each<{
  name: string;
  present?: readonly string[];
  difference: FinalizerDifference;
  tested: readonly string[] | null;
  written: readonly string[];
  counted: string;
}>([
  {
    name: 'no finalizers -> added, where there is still no list',
    difference: { add: [csiFinalizer], remove: [] },
    tested: null,
    written: [csiFinalizer],
    counted: 'add success',
  },
  {
    name: 'foreign finalizers -> kept in their order, ours at the end',
    present: foreign,
    difference: { add: [csiFinalizer], remove: [] },
    tested: foreign,
    written: [...foreign, csiFinalizer],
    counted: 'add success',
  },
  {
    name: 'ours among foreign ones -> it alone goes',
    present: ['example.com/z', csiFinalizer, pvProtection],
    difference: { add: [], remove: [csiFinalizer] },
    tested: ['example.com/z', csiFinalizer, pvProtection],
    written: foreign,
    counted: 'remove success',
  },
  {
    name: 'migration -> both in one write',
    present: [inTreeFinalizer, pvProtection],
    difference: { add: [csiFinalizer], remove: [inTreeFinalizer] },
    tested: [inTreeFinalizer, pvProtection],
    written: [pvProtection, csiFinalizer],
    counted: 'add success',
  },
])('$name', async ({ present, difference, tested, written, counted }) => {
  const opened = open();
  const before = volume(present === undefined ? {} : { finalizers: present });
  expect(await opened.write(before, difference, {})).toMatchObject({
    kind: 'written',
  });
  // The very object, its policy and its whole list must still be as they were read.
  expect(opened.sent).toEqual([
    [
      { op: 'test', path: '/metadata/uid', value: before.metadata.uid },
      { op: 'test', path: '/spec/persistentVolumeReclaimPolicy', value: 'Delete' },
      { op: 'test', path: list, value: tested },
      { op: tested === null ? 'add' : 'replace', path: list, value: written },
    ],
  ]);
  expect(opened.counted).toEqual([counted]);
});

test('nothing would change -> nothing is sent, and it counts as an error', async () => {
  const { sent, counted, write } = open();
  const held = volume({ finalizers: [csiFinalizer] });
  const written = await write(held, { add: [csiFinalizer], remove: [] }, {});
  expect(written).toMatchObject({ kind: 'failed' });
  expect(sent).toEqual([]);
  expect(counted).toEqual(['add error']);
});
