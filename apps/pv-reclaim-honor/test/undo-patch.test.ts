import { expect, test } from '@jest/globals';
import { giveBackPatch, markPatch, unmarkPatch } from '../src/undo/undo-patch.ts';
import { volume } from './objects.ts';

/* Each of these writes begins or ends a promise to keep storage: whatever it rests on is tested. */

const due = Date.parse('2026-01-01T12:00:00Z');
const mark = {
  'holdfast.dev/delete-after': '2026-01-01T12:00:00.000Z',
  'holdfast.dev/delete-after-uid': 'uid-of-pv',
  'holdfast.dev/delete-after-claim-uid': 'c',
};
const uid = { op: 'test', path: '/metadata/uid', value: 'uid-of-pv' };
const claimUid = (value: string | null) => ({ op: 'test', path: '/spec/claimRef/uid', value });
const path = (annotation: string) => `/metadata/annotations/holdfast.dev~1${annotation}`;
const is = (annotation: string, value: string | null) => ({ op: 'test', path: path(annotation), value });
const put = (annotation: string, value: string) => ({ op: 'add', path: path(annotation), value });
const gone = (annotation: string) => ({ op: 'remove', path: path(annotation) });

test('volume without annotations is marked -> as long as it has none, and was released from the same claim', () => {
  expect(markPatch(volume({ claimUid: 'c' }), due)).toEqual([
    uid,
    claimUid('c'),
    { op: 'test', path: '/metadata/annotations', value: null },
    { op: 'add', path: '/metadata/annotations', value: mark },
  ]);
});

test('volume with another mark is marked -> as long as that is there', () => {
  const annotations = { 'example.com/other': 'x', 'holdfast.dev/delete-after-uid': 'uid-before-the-backup' };
  expect(markPatch(volume({ claimUid: 'c', annotations }), due)).toEqual([
    uid,
    claimUid('c'),
    is('deletion-begun', null),
    is('delete-after', null),
    put('delete-after', '2026-01-01T12:00:00.000Z'),
    is('delete-after-uid', 'uid-before-the-backup'),
    put('delete-after-uid', 'uid-of-pv'),
    is('delete-after-claim-uid', null),
    put('delete-after-claim-uid', 'c'),
  ]);
});

test('volume that was bound to nothing is marked -> as long as it is bound to nothing', () => {
  expect(markPatch(volume(), due).slice(0, 2)).toEqual([uid, claimUid(null)]);
});

test('part of a mark is taken away -> as long as it says the same, and nothing else', () => {
  const annotations = { 'example.com/other': 'x', 'holdfast.dev/delete-after': 'soon' };
  expect(unmarkPatch(volume({ annotations }))).toEqual([
    uid,
    is('delete-after', 'soon'),
    gone('delete-after'),
  ]);
  expect(unmarkPatch(volume())).toEqual([uid]);
});

test('volume is given back -> as long as it is not terminating, and was released from the same claim', () => {
  const given = volume({ claimUid: 'c', annotations: { ...mark, 'example.com/other': 'x' } });
  const before = [
    uid,
    { op: 'test', path: '/metadata/deletionTimestamp', value: null },
    { op: 'test', path: '/spec/claimRef/namespace', value: 'ns' },
    { op: 'test', path: '/spec/claimRef/name', value: 'data' },
    claimUid('c'),
    { op: 'remove', path: '/spec/claimRef/uid' },
  ];
  const after = Object.entries(mark).flatMap(([name, value]) => {
    const annotation = name.replace('holdfast.dev/', '');
    return [is(annotation, value), gone(annotation)];
  });
  const notBegun = is('deletion-begun', null);
  expect(giveBackPatch(given, undefined)).toEqual([...before, notBegun, ...after]);

  const version = '/spec/claimRef/resourceVersion';
  const claimRef = { ...given.spec?.claimRef, resourceVersion: '9' };
  expect(giveBackPatch({ ...given, spec: { ...given.spec, claimRef } }, undefined)).toEqual([
    ...before,
    { op: 'test', path: version, value: '9' },
    { op: 'remove', path: version },
    notBegun,
    ...after,
  ]);
});

test('volume is given back to a claim that is bound to it -> gets the UID of that one', () => {
  expect(giveBackPatch(volume({ claimUid: 'c' }), 'd').slice(-2)).toEqual([
    claimUid('c'),
    { op: 'replace', path: '/spec/claimRef/uid', value: 'd' },
  ]);
});

test('claim that is not named as a whole -> the volume is given back as long as it is not', () => {
  const given = { ...volume(), spec: { claimRef: { uid: 'c' } } };
  expect(giveBackPatch(given, undefined)).toEqual([
    uid,
    { op: 'test', path: '/metadata/deletionTimestamp', value: null },
    { op: 'test', path: '/spec/claimRef/namespace', value: null },
    { op: 'test', path: '/spec/claimRef/name', value: null },
    claimUid('c'),
    { op: 'remove', path: '/spec/claimRef/uid' },
  ]);
});
