import { expect, test } from '@jest/globals';
import type { JsonPatch, KubernetesObject } from '@holdfast/core';
import { WriteUndone } from '@holdfast/runtime';
import { createFinalizerWriter, type FinalizerDifference } from '../src/finalizer-writer.ts';
import {
  csiFinalizer,
  heldByAnnotation,
  inTreeFinalizer,
  pvProtection,
  volume,
  withFinalizersOf,
} from './objects.ts';

/** @param left the finalizers of the answer. Default: those that were written. */
function open(left?: readonly string[]) {
  const sent: JsonPatch[] = [];
  const counted: string[] = [];
  const write = createFinalizerWriter(
    {
      patch: async <T extends KubernetesObject>(_resource: object, _ref: object, patch: JsonPatch) => {
        sent.push(patch);
        await Promise.resolve();
        const answer = left === undefined ? withFinalizersOf(volume(), patch) : volume({ finalizers: left });
        return answer as unknown as T;
      },
    },
    { finalizer: (operation, outcome) => counted.push(`${operation} ${outcome}`) },
  );
  return { sent, counted, write };
}

const list = '/metadata/finalizers';
const foreign = ['example.com/z', pvProtection];

const annotations = '/metadata/annotations';
const record = '/metadata/annotations/holdfast.dev~1held-by';
const noAnnotations = { op: 'test', path: annotations, value: null };
const recordIs = (value: string | null) => ({ op: 'test', path: record, value });
const other = { 'example.com/team': 'shop' };
const own = 'example.com/reclaim';

test.each<{
  name: string;
  present?: readonly string[];
  annotations?: Readonly<Record<string, string>>;
  difference: FinalizerDifference;
  tested: readonly string[] | null;
  written: readonly string[];
  recorded?: readonly object[];
  counted: string;
}>([
  {
    name: 'no finalizers -> added, where there is still no list',
    difference: { add: [csiFinalizer], remove: [] },
    tested: null,
    written: [csiFinalizer],
    recorded: [noAnnotations, { op: 'add', path: annotations, value: { [heldByAnnotation]: csiFinalizer } }],
    counted: 'add success',
  },
  {
    name: 'foreign finalizers -> kept in their order, ours at the end',
    present: foreign,
    difference: { add: [csiFinalizer], remove: [] },
    tested: foreign,
    written: [...foreign, csiFinalizer],
    annotations: other,
    recorded: [recordIs(null), { op: 'add', path: record, value: csiFinalizer }],
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
    annotations: { [heldByAnnotation]: inTreeFinalizer },
    recorded: [recordIs(inTreeFinalizer), { op: 'add', path: record, value: csiFinalizer }],
    counted: 'add success',
  },
  {
    name: 'one takes the place of another, behind a foreign one -> that stays',
    present: [pvProtection, inTreeFinalizer],
    difference: { add: [csiFinalizer], remove: [inTreeFinalizer] },
    tested: [pvProtection, inTreeFinalizer],
    written: [pvProtection, csiFinalizer],
    recorded: [noAnnotations, { op: 'add', path: annotations, value: { [heldByAnnotation]: csiFinalizer } }],
    counted: 'add success',
  },
  {
    name: 'P6: ours goes -> the record goes with it',
    present: [own, pvProtection],
    difference: { add: [], remove: [own] },
    tested: [own, pvProtection],
    written: [pvProtection],
    annotations: { ...other, [heldByAnnotation]: own },
    recorded: [recordIs(own), { op: 'remove', path: record }],
    counted: 'remove success',
  },
  {
    name: 'ours goes from a volume whose storage is deleted, others stay -> that is recorded',
    present: [own, pvProtection],
    difference: { add: [], remove: [own], record: 'deleted/u' },
    tested: [own, pvProtection],
    written: [pvProtection],
    annotations: { ...other, [heldByAnnotation]: own },
    recorded: [recordIs(own), { op: 'add', path: record, value: 'deleted/u' }],
    counted: 'remove success',
  },
  {
    name: 'ours goes from a volume whose storage is deleted, the last one -> the record goes with it',
    present: [own],
    difference: { add: [], remove: [own], record: 'deleted/u' },
    tested: [own],
    written: [],
    annotations: { [heldByAnnotation]: own },
    recorded: [recordIs(own), { op: 'remove', path: record }],
    counted: 'remove success',
  },
  {
    name: "P6: another's goes -> the record of ours stays, and is tested",
    present: [own, csiFinalizer],
    difference: { add: [], remove: [csiFinalizer] },
    tested: [own, csiFinalizer],
    written: [own],
    annotations: { [heldByAnnotation]: own },
    recorded: [recordIs(own)],
    counted: 'remove success',
  },
  {
    name: 'P6: another name takes the place of ours, and is there already -> not recorded as ours',
    present: [own, csiFinalizer],
    difference: { add: [csiFinalizer], remove: [own] },
    tested: [own, csiFinalizer],
    written: [csiFinalizer],
    annotations: { [heldByAnnotation]: own },
    recorded: [recordIs(own), { op: 'remove', path: record }],
    counted: 'add success',
  },
])('$name', async ({ present, annotations, difference, tested, written, recorded = [], counted }) => {
  const opened = open();
  const before = volume({
    ...(present === undefined ? {} : { finalizers: present }),
    ...(annotations === undefined ? {} : { annotations }),
  });
  expect(await opened.write(before, difference, {})).toMatchObject({
    kind: 'written',
  });
  // The very object, its policy, its whole list and the record must still be as they were read.
  expect(opened.sent).toEqual([
    [
      { op: 'test', path: '/metadata/uid', value: before.metadata.uid },
      { op: 'test', path: '/spec/persistentVolumeReclaimPolicy', value: 'Delete' },
      { op: 'test', path: list, value: tested },
      { op: tested === null ? 'add' : 'replace', path: list, value: written },
      ...recorded,
    ],
  ]);
  expect(opened.counted).toEqual([counted]);
});

test('nothing would change -> nothing is sent, and it counts as an error', async () => {
  const { sent, counted, write } = open();
  const held = volume({ finalizers: [csiFinalizer] });
  const written = await write(held, { add: [csiFinalizer], remove: [] }, {});
  expect(written).toMatchObject({ kind: 'failed' });
  expect(sent).toStrictEqual([]);
  expect(counted).toEqual(['add error']);
});

test('P6: record of a finalizer that is not there any more -> taken back by itself', async () => {
  const { sent, counted, write } = open();
  const before = volume({ finalizers: [pvProtection], annotations: { [heldByAnnotation]: csiFinalizer } });
  await write(before, { add: [], remove: [] }, {});
  expect(sent).toEqual([
    [
      { op: 'test', path: '/metadata/uid', value: before.metadata.uid },
      { op: 'test', path: '/spec/persistentVolumeReclaimPolicy', value: 'Delete' },
      recordIs(csiFinalizer),
      { op: 'remove', path: record },
    ],
  ]);
  expect(counted).toEqual(['remove success']);
});

test("P6: record of a finalizer that is another's -> taken back by itself", async () => {
  const { sent, write } = open();
  const before = volume({ finalizers: [pvProtection], annotations: { [heldByAnnotation]: pvProtection } });
  await write(before, { add: [], remove: [] }, {});
  expect(sent[0]?.slice(2)).toEqual([recordIs(pvProtection), { op: 'remove', path: record }]);
});

test('volume without a policy -> written as long as it has none', async () => {
  const { sent, write } = open();
  const { metadata } = volume();
  await write({ metadata }, { add: [csiFinalizer], remove: [] }, {});
  expect(sent[0]?.[1]).toStrictEqual({
    op: 'test',
    path: '/spec/persistentVolumeReclaimPolicy',
    value: null,
  });
});

test.each<{ name: string; difference: FinalizerDifference; left: readonly string[]; outcome: string }>([
  {
    name: 'added, and not there',
    difference: { add: [csiFinalizer], remove: [] },
    left: ['example.com/z'],
    outcome: 'add error',
  },
  {
    name: 'removed, and still there',
    difference: { add: [], remove: [csiFinalizer] },
    left: [csiFinalizer],
    outcome: 'remove error',
  },
])('finalizer $name, by the answer -> failed', async ({ difference, left, outcome }) => {
  const { counted, write } = open(left);
  const finalizers = difference.remove.length > 0 ? [csiFinalizer] : ['example.com/z'];
  const written = await write(volume({ finalizers }), difference, {});
  expect(written).toEqual({ kind: 'failed', error: new WriteUndone() });
  expect(counted).toEqual([outcome]);
});
