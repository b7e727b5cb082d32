import { expect, test } from '@jest/globals';
import { assignPatch } from '../src/assign-patch.ts';
import { claim } from './objects.ts';

const absent = (path: string) => ({ op: 'test', path, value: null });
const uid = { op: 'test', path: '/metadata/uid', value: 'uid-of-data' };
const waits = [absent('/spec/storageClassName'), absent('/spec/volumeName')];
const given = { op: 'add', path: '/spec/storageClassName', value: 'gold' };
const living = absent('/metadata/deletionTimestamp');

test('claim without annotations -> the class, as long as it waits and has none', () => {
  expect(assignPatch(claim(), 'gold')).toEqual([
    uid,
    living,
    absent('/metadata/annotations'),
    ...waits,
    given,
  ]);
});

test('claim with other annotations -> the class, as long as it waits and has none that says otherwise', () => {
  expect(assignPatch(claim({ annotations: { 'example.com/other': 'x' } }), 'gold')).toEqual([
    uid,
    living,
    absent('/metadata/annotations/volume.beta.kubernetes.io~1storage-class'),
    absent('/metadata/annotations/pv.kubernetes.io~1bind-completed'),
    ...waits,
    given,
  ]);
});
