import { expect, test } from '@jest/globals';
import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import {
  annotationsPatch,
  changeAnnotations,
  changeOwners,
  ownersPatch,
  type AnnotationChanges,
} from '../src/claim-patch.ts';
import { claim, toPod, toSet } from './snapshots.ts';

/* A reference too many deletes a claim: each write tests all that it replaces. */

const uid = { op: 'test', path: '/metadata/uid', value: 'uid-of-claim' };
const owners = '/metadata/ownerReferences';

test.each<{
  name: string;
  present: readonly OwnerReference[];
  next: readonly OwnerReference[];
  operations: object[];
}>([
  {
    name: 'none -> one, where there is still none',
    present: [],
    next: [toSet()],
    operations: [
      { op: 'test', path: owners, value: null },
      { op: 'add', path: owners, value: [toSet()] },
    ],
  },
  {
    name: 'one -> another, as long as the first is there',
    present: [toSet()],
    next: [toPod()],
    operations: [
      { op: 'test', path: owners, value: [toSet()] },
      { op: 'replace', path: owners, value: [toPod()] },
    ],
  },
  {
    name: 'one -> none, as long as it is there',
    present: [toSet()],
    next: [],
    operations: [
      { op: 'test', path: owners, value: [toSet()] },
      { op: 'remove', path: owners },
    ],
  },
])('owner references: $name', ({ present, next, operations }) => {
  expect(changeOwners(claim(present), next)).toEqual(operations);
  expect(ownersPatch(claim(present), next)).toEqual([uid, ...operations]);
});

test('list of owner references that is empty -> taken for none', () => {
  const { metadata } = claim();
  expect(changeOwners({ metadata: { ...metadata, ownerReferences: [] } }, [toSet()])[0]).toEqual({
    op: 'test',
    path: owners,
    value: null,
  });
});

const path = '/metadata/annotations/example.com~1a';
const other = { 'example.com/other': 'x' };

test.each<{
  name: string;
  present: Readonly<Record<string, string>> | undefined;
  changes: AnnotationChanges;
  operations: object[];
}>([
  {
    name: 'no annotations -> the one, where there are still none',
    present: undefined,
    changes: { 'example.com/a': '1' },
    operations: [
      { op: 'test', path: '/metadata/annotations', value: null },
      { op: 'add', path: '/metadata/annotations', value: { 'example.com/a': '1' } },
    ],
  },
  {
    name: 'another annotation -> the one beside it, where it is still not there',
    present: other,
    changes: { 'example.com/a': '1' },
    operations: [
      { op: 'test', path, value: null },
      { op: 'add', path, value: '1' },
    ],
  },
  {
    name: 'another value -> the new one, as long as the old one is there',
    present: { ...other, 'example.com/a': '0' },
    changes: { 'example.com/a': '1' },
    operations: [
      { op: 'test', path, value: '0' },
      { op: 'replace', path, value: '1' },
    ],
  },
  {
    name: 'to be taken away -> gone, as long as it says the same',
    present: { ...other, 'example.com/a': '0' },
    changes: { 'example.com/a': undefined },
    operations: [
      { op: 'test', path, value: '0' },
      { op: 'remove', path },
    ],
  },
  {
    name: 'to be taken away, not there -> nothing',
    present: other,
    changes: { 'example.com/a': undefined },
    operations: [],
  },
])('annotations: $name', ({ present, changes, operations }) => {
  const { name, uid: claimUid, resourceVersion } = claim().metadata;
  const given: PersistentVolumeClaim = {
    metadata: {
      name,
      uid: claimUid,
      resourceVersion,
      ...(present === undefined ? {} : { annotations: present }),
    },
  };
  expect(changeAnnotations(given, changes)).toEqual(operations);
  expect(annotationsPatch(given, changes)).toEqual([uid, ...operations]);
});
