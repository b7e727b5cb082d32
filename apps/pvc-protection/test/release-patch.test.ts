import { expect, test } from '@jest/globals';
import { releasePatch } from '../src/release-patch.ts';
import { takeOffPatch } from '../src/uninstall/take-off-patch.ts';
import { claim, protection } from './objects.ts';

const finalizers = ['example.com/a', protection];
const rest = [
  { op: 'test', path: '/metadata/uid', value: 'uid-of-data' },
  { op: 'test', path: '/metadata/finalizers/1', value: protection },
  { op: 'remove', path: '/metadata/finalizers/1' },
];

test('terminating claim -> let go of, as long as it was deleted at that time', () => {
  const path = '/metadata/deletionTimestamp';
  expect(releasePatch(claim({ finalizers, deleted: true }))).toEqual([
    { op: 'test', path, value: '2026-01-01T00:00:00Z' },
    ...rest,
  ]);
});

test('claim when the controller is uninstalled -> let go of, as long as nobody has deleted it', () => {
  expect(takeOffPatch(claim({ finalizers }))).toEqual([
    { op: 'test', path: '/metadata/deletionTimestamp', value: null },
    ...rest,
  ]);
});
