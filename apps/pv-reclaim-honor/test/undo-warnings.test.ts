import { describe, expect, test } from '@jest/globals';
import type { StorageClass } from '@holdfast/core';
import type { Keeper, Mode } from '../src/decide/snapshot.ts';
import { undoWarningOf } from '../src/undo/undo-warning.ts';
import { createUndoWarnings } from '../src/undo/undo-warnings.ts';
import { windowRequestOf } from '../src/undo/window-request.ts';
import { csiFinalizer, inTreeFinalizer, volume, type VolumeShape } from './objects.ts';

const grace = 'holdfast.dev/reclaim-grace';
const meant = { 'holdfast.dev/reclaim-policy': 'Delete' };
const csi: Keeper = {
  kind: 'csi',
  name: 'csi.example.com',
  finalizer: csiFinalizer,
  stale: undefined,
  canDelete: true,
};
const inTree: Keeper = {
  ...csi,
  kind: 'inTree',
  name: 'kubernetes.io/host-path',
  finalizer: inTreeFinalizer,
};
const storageClass = (value: string): StorageClass => ({
  metadata: { name: 'fast', uid: 'uid-of-fast', resourceVersion: '1', annotations: { [grace]: value } },
  provisioner: 'csi.example.com',
});

describe('window that is asked for', () => {
  test.each<{ name: string; own?: string; ofClass?: string; gate?: boolean; expected: object }>([
    { name: 'nowhere', expected: { kind: 'none' } },
    { name: 'by the volume', own: '90s', expected: { kind: 'usable', duration: 90_000 } },
    { name: 'by its class', ofClass: '24h', expected: { kind: 'usable', duration: 86_400_000 } },
    {
      name: 'by both: the volume wins',
      own: '1h30m',
      ofClass: '24h',
      expected: { kind: 'usable', duration: 5_400_000 },
    },
    {
      name: 'by both, the volume unreadably: it wins',
      own: '1d',
      ofClass: '24h',
      expected: { kind: 'unusable' },
    },
    { name: 'in days', own: '1d', expected: { kind: 'unusable' } },
    { name: 'of no length', own: '0s', expected: { kind: 'unusable' } },
    { name: 'backwards', own: '-1h', expected: { kind: 'unusable' } },
    { name: 'empty', own: '', expected: { kind: 'unusable' } },
    {
      name: 'of a hundred years',
      own: '876000h',
      expected: { kind: 'usable', duration: 876_000 * 3_600_000 },
    },
    // Its end would have no date in RFC 3339, and one of some more hours none at all.
    { name: 'of more', own: '876001h', expected: { kind: 'unusable' } },
    { name: 'of ten million years', ofClass: '99999999999h', expected: { kind: 'unusable' } },
    {
      name: 'in a quarter of a megabyte',
      own: '1'.repeat(256 * 1024),
      expected: { kind: 'unusable', problem: expect.stringMatching(/^.{1,300}$/) },
    },
    { name: 'with the gate off', own: '24h', gate: false, expected: { kind: 'unusable' } },
    { name: 'by its class with the gate off', ofClass: '24h', gate: false, expected: { kind: 'unusable' } },
  ])('$name', ({ own, ofClass, gate = true, expected }) => {
    const asking = volume(own === undefined ? {} : { annotations: { [grace]: own } });
    const found = ofClass === undefined ? undefined : storageClass(ofClass);
    expect(windowRequestOf(asking, found, gate)).toMatchObject(expected);
  });
});

describe('what an administrator is to know', () => {
  test.each<{
    name: string;
    shape: VolumeShape;
    ofClass?: string;
    keeper?: Keeper;
    mode?: Mode;
    expected: { reason: string; note: string; on: string } | undefined;
  }>([
    { name: 'no window', shape: {}, expected: undefined },
    {
      name: 'Retain that means Delete, window -> nothing',
      shape: { policy: 'Retain', annotations: { ...meant, [grace]: '1h' } },
      expected: undefined,
    },
    {
      name: 'Delete, made by hand, CSI -> nothing',
      shape: { annotations: { [grace]: '1h' } },
      expected: undefined,
    },
    {
      name: 'Retain that means Delete, no window',
      shape: { policy: 'Retain', annotations: meant },
      expected: { reason: 'UndoWindowUnusable', note: grace, on: 'pv' },
    },
    {
      name: 'Retain that means Delete, mode guard',
      shape: { policy: 'Retain', annotations: { ...meant, [grace]: '1h' } },
      mode: 'guard',
      expected: { reason: 'UndoWindowUnusable', note: 'guard', on: 'pv' },
    },
    {
      name: 'value of the class that can not be read',
      shape: {},
      ofClass: '1d',
      expected: { reason: 'UndoWindowUnusable', note: '"1d"', on: 'fast' },
    },
    {
      name: 'mark that can not be read',
      shape: {
        claimUid: 'c',
        annotations: {
          'holdfast.dev/delete-after': 'soon',
          'holdfast.dev/delete-after-uid': 'uid-of-pv',
          'holdfast.dev/delete-after-claim-uid': 'c',
        },
      },
      expected: { reason: 'UndoWindowUnusable', note: '"soon"', on: 'pv' },
    },
    {
      name: 'Delete, in-tree',
      shape: { annotations: { [grace]: '1h' } },
      keeper: inTree,
      expected: { reason: 'UndoWindowNotKept', note: 'kube-controller-manager', on: 'pv' },
    },
    {
      name: 'Delete, made by a provisioner, window of the class',
      shape: { annotations: { 'pv.kubernetes.io/provisioned-by': 'csi.example.com' } },
      ofClass: '1h',
      expected: { reason: 'UndoWindowNotKept', note: 'csi.example.com', on: 'fast' },
    },
    {
      name: 'Delete, mode guard',
      shape: { annotations: { [grace]: '1h' } },
      mode: 'guard',
      expected: { reason: 'UndoWindowNotKept', note: 'guard', on: 'pv' },
    },
    {
      name: "somebody else's volume -> nothing",
      shape: { annotations: { [grace]: '1d' } },
      keeper: { kind: 'foreign' },
      expected: undefined,
    },
  ])('$name', ({ shape, ofClass, keeper = csi, mode = 'reclaim', expected }) => {
    const asking = volume(shape);
    const request = windowRequestOf(asking, ofClass === undefined ? undefined : storageClass(ofClass), true);
    const warning = undoWarningOf(asking, request, keeper, mode);
    expect(warning?.reason).toBe(expected?.reason);
    expect(warning?.note ?? '').toContain(expected?.note ?? '');
    expect(warning?.on.object.metadata.name).toBe(expected?.on);
  });

  test('a class of many volumes with one problem -> one Event; another value -> another; forgotten -> once more', () => {
    const recorded: string[] = [];
    const warnings = createUndoWarnings(
      { record: (_resource, object, { note }) => recorded.push(`${object.metadata.name}: ${note}`) },
      { warn: () => undefined },
    );
    const seen = (value: string, count: number): void => {
      for (let index = 0; index < count; index++) {
        const each = volume({ name: `v${String(index)}` });
        warnings.warn(undoWarningOf(each, windowRequestOf(each, storageClass(value), true), csi, 'reclaim'));
      }
    };
    seen('1d', 100);
    expect(recorded).toHaveLength(1);
    seen('2d', 100);
    expect(recorded).toHaveLength(2);
    warnings.forget(storageClass('1d'));
    seen('1d', 1);
    expect(recorded).toHaveLength(3);
  });
});
