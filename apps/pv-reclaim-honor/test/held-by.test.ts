import { describe, expect, test } from '@jest/globals';
import { isOfOthers, isStorageDeleted, ownHolds } from '../src/decide/held-by.ts';
import {
  csiFinalizer,
  heldByAnnotation,
  hostPathFinalizer,
  inTreeFinalizer,
  pvProtection,
  volume,
} from './objects.ts';

test.each([
  { finalizer: pvProtection, is: true },
  { finalizer: 'storage.kubernetes.io/x', is: true },
  { finalizer: 'k8s.io/x', is: true },
  { finalizer: 'external-attacher/csi-example-com', is: true },
  // These say that the storage is still to be deleted.
  { finalizer: csiFinalizer, is: false },
  { finalizer: inTreeFinalizer, is: false },
  { finalizer: 'mykubernetes.io/x', is: false },
  { finalizer: 'example.com/kubernetes.io/x', is: false },
  { finalizer: 'my-external-attacher/x', is: false },
  { finalizer: 'example.com/x', is: false },
])('P7: $finalizer -> waited for by somebody else: $is', ({ finalizer, is }) => {
  expect(isOfOthers(finalizer)).toBe(is);
});

describe('P7: which finalizers this app alone has put on', () => {
  const undo = 'holdfast.dev/undo-window';
  const nfs = { nfs: { server: 's', path: '/p' } };
  const provisioned = { 'pv.kubernetes.io/provisioned-by': 'example.com/nfs' };

  test.each([
    {
      name: 'recorded',
      shape: { annotations: { [heldByAnnotation]: csiFinalizer } },
      finalizer: csiFinalizer,
      is: true,
    },
    {
      name: 'recorded, and known as of others',
      shape: { annotations: { [heldByAnnotation]: pvProtection } },
      finalizer: pvProtection,
      is: false,
    },
    { name: 'not recorded', shape: {}, finalizer: csiFinalizer, is: false },
    { name: 'of --csi-finalizer', shape: {}, finalizer: 'example.com/mine', is: true },
    { name: 'of an undo window', shape: {}, finalizer: undo, is: true },
    { name: 'of a hostPath volume', shape: {}, finalizer: hostPathFinalizer, is: true },
    { name: 'in-tree, static', shape: { source: nfs }, finalizer: inTreeFinalizer, is: true },
    {
      name: 'in-tree, provisioned',
      shape: { source: nfs, annotations: provisioned },
      finalizer: inTreeFinalizer,
      is: false,
    },
    { name: 'in-tree, on a CSI volume', shape: {}, finalizer: inTreeFinalizer, is: false },
  ])('$name -> $is', ({ shape, finalizer, is }) => {
    const given = volume({ ...shape, finalizers: [pvProtection, finalizer] });
    expect(ownHolds(given, 'example.com/mine')).toEqual(is ? [finalizer] : []);
  });

  test('--csi-finalizer is one that others put on too -> not ours for that', () => {
    expect(ownHolds(volume({ finalizers: [csiFinalizer] }), csiFinalizer)).toStrictEqual([]);
  });
});

test.each([
  { of: 'this volume, terminating', shape: { uid: 'u', deleted: true }, is: true },
  // A backup or a user can put the annotations of another object on it.
  { of: 'this volume, not terminating', shape: { uid: 'u' }, is: false },
  { of: 'another volume', shape: { uid: 'v', deleted: true }, is: false },
])('recorded as deleted is the storage of $of -> it is: $is', ({ shape, is }) => {
  const annotations = { [heldByAnnotation]: 'deleted/u' };
  expect(isStorageDeleted(volume({ ...shape, annotations }))).toBe(is);
});
