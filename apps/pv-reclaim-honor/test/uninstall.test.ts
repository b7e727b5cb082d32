import { describe, expect, test } from '@jest/globals';
import { guardedPatch, type PersistentVolume } from '@holdfast/core';
import fc from 'fast-check';
import { deletionBegunAnnotation } from '../src/decide/deletion-begun.ts';
import { markAnnotations, newMark } from '../src/decide/undo-mark.ts';
import { reclaimPolicyAnnotation, undoFinalizer } from '../src/decide/undo-window.ts';
import { reclaimGraceAnnotation } from '../src/undo/window-request.ts';
import { uninstallSteps } from '../src/uninstall.ts';
import {
  csiFinalizer,
  heldByAnnotation,
  inTreeFinalizer,
  pvProtection,
  volume,
  type VolumeShape,
} from './objects.ts';

const own = 'example.com/reclaim';
const provisionedBy = { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' };
const hostPath = { hostPath: { path: '/tmp/hostpath_pv/v' } };
const recorded = (finalizer: string) => ({ [heldByAnnotation]: finalizer });

interface Shape extends VolumeShape {
  /** Whose write put which finalizer on, as the API server has it in `managedFields`. */
  readonly managers?: Readonly<Record<string, readonly string[]>>;
}

function whole({ managers = {}, ...shape }: Shape): PersistentVolume {
  const { metadata, ...rest } = volume(shape);
  const managedFields = Object.entries(managers).map(([manager, finalizers]) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:finalizers': Object.fromEntries(finalizers.map((each) => [`v:"${each}"`, {}])),
      },
    },
  }));
  return { ...rest, metadata: { ...metadata, managedFields } };
}

interface Flags {
  readonly csiFinalizer?: string;
  readonly namespaces?: readonly string[];
}

function stepFor({ namespaces = [], ...flags }: Flags = {}) {
  const [step] = uninstallSteps({ csiFinalizer, namespaces, ...flags });
  if (step === undefined) {
    throw new Error('there is no step');
  }
  return step;
}

/** The finalizers that are left and whether the record is; undefined: nothing is written. */
function left(shape: Shape, flags?: Flags): string | undefined {
  const before = whole(shape);
  const patch = stepFor(flags).takeBack(before);
  if (patch === undefined) {
    return undefined;
  }
  let finalizers = before.metadata.finalizers ?? [];
  let isRecorded = before.metadata.annotations?.[heldByAnnotation] !== undefined;
  for (const operation of guardedPatch(before, patch)) {
    if (operation.op === 'replace' && operation.path === '/metadata/finalizers') {
      finalizers = operation.value as readonly string[];
    }
    isRecorded &&= !(operation.op === 'remove' && operation.path.endsWith('holdfast.dev~1held-by'));
  }
  return [...finalizers, ...(isRecorded ? ['recorded'] : [])].join(' ');
}

describe('A1: what --uninstall takes off a volume', () => {
  test.each<{ name: string; shape: Shape; flags?: Flags; expected: string | undefined }>([
    {
      name: 'recorded -> finalizer and record',
      shape: { finalizers: [pvProtection, csiFinalizer], annotations: recorded(csiFinalizer) },
      expected: pvProtection,
    },
    {
      name: 'recorded under an earlier --csi-finalizer -> the same',
      shape: { finalizers: [own, pvProtection], annotations: recorded(own) },
      expected: pvProtection,
    },
    {
      name: 'recorded, and gone -> the record',
      shape: { finalizers: [pvProtection], annotations: recorded(csiFinalizer) },
      expected: pvProtection,
    },
    ...[pvProtection, 'external-attacher/csi-example-com'].map((others) => ({
      name: `record names ${others} -> the record alone`,
      shape: { finalizers: [others, csiFinalizer], annotations: recorded(others) },
      expected: `${others} ${csiFinalizer}`,
    })),
    { name: 'nothing of ours -> nothing', shape: { finalizers: [pvProtection] }, expected: undefined },
    {
      name: "shared finalizer, csi-provisioner's -> nothing",
      shape: {
        finalizers: [csiFinalizer],
        managers: { 'csi-provisioner': [csiFinalizer], 'pv-reclaim-honor': [pvProtection] },
      },
      expected: undefined,
    },
    {
      name: 'shared finalizer, nobody knows whose (managedFields are gone) -> nothing',
      shape: { finalizers: [csiFinalizer] },
      expected: undefined,
    },
    {
      name: 'shared finalizer, put on by us and somebody else -> nothing',
      shape: {
        finalizers: [csiFinalizer],
        managers: { 'csi-provisioner': [csiFinalizer], 'pv-reclaim-honor': [csiFinalizer] },
      },
      expected: undefined,
    },
    {
      name: 'shared finalizer, put on by release 0.1.0, which recorded nothing -> taken off',
      shape: {
        finalizers: [csiFinalizer, pvProtection],
        managers: { 'kube-controller-manager': [pvProtection], 'pv-reclaim-honor': [csiFinalizer] },
      },
      expected: pvProtection,
    },
    {
      name: 'in-tree finalizer on a static volume -> taken off: nobody else puts it there',
      shape: { finalizers: [inTreeFinalizer], source: hostPath },
      expected: '',
    },
    {
      name: "in-tree finalizer on a provisioned volume, kube-controller-manager's -> nothing",
      shape: {
        finalizers: [inTreeFinalizer],
        source: hostPath,
        annotations: provisionedBy,
        managers: { 'kube-controller-manager': [inTreeFinalizer] },
      },
      expected: undefined,
    },
    {
      name: 'finalizer of --csi-finalizer that only we can use -> taken off',
      shape: { finalizers: [own, csiFinalizer] },
      flags: { csiFinalizer: own },
      expected: csiFinalizer,
    },
    {
      name: 'claim in another namespace than the named ones -> nothing',
      shape: { finalizers: [csiFinalizer], annotations: recorded(csiFinalizer), claimUid: 'c' },
      flags: { namespaces: ['elsewhere'] },
      expected: undefined,
    },
  ])('$name', ({ shape, flags, expected }) => {
    expect(left(shape, flags)).toBe(expected);
  });

  test('finalizer, mark of an undo window and record of a deletion -> taken off, the other annotations stay', () => {
    const marked = whole({
      finalizers: [undoFinalizer, pvProtection],
      policy: 'Retain',
      annotations: {
        ...recorded(undoFinalizer),
        [reclaimPolicyAnnotation]: 'Delete',
        [reclaimGraceAnnotation]: '1h',
        ...newMark(volume({}), 0),
        [deletionBegunAnnotation]: 'uid-of-pv/c',
      },
    });
    const patch = guardedPatch(marked, stepFor().takeBack(marked) ?? []);
    expect(patch.filter(({ op }) => op !== 'test')).toEqual([
      { op: 'replace', path: '/metadata/finalizers', value: [pvProtection] },
      ...[heldByAnnotation, ...markAnnotations, deletionBegunAnnotation].map((name) => ({
        op: 'remove',
        path: `/metadata/annotations/${name.replace('/', '~1')}`,
      })),
    ]);
  });

  test('provisioned in-tree volume, terminating while Bound -> refused: kube-controller-manager would hang on it', () => {
    const shape: Shape = {
      finalizers: [inTreeFinalizer],
      source: hostPath,
      annotations: { ...provisionedBy, ...recorded(inTreeFinalizer) },
      claimUid: 'c',
      deleted: true,
    };
    expect(() => left(shape)).toThrow(/terminating.*claim ns\/data.*again/);
    expect(left({ ...shape, phase: 'Released' })).toBe('');
    expect(left({ ...shape, deleted: false })).toBe('');
  });

  test('for any volume: finalizers that are not known to be ours stay, and a second look finds nothing', () => {
    const names = [csiFinalizer, inTreeFinalizer, pvProtection, own];
    const shapes = fc.record({
      finalizers: fc.subarray(names),
      record: fc.constantFrom(undefined, csiFinalizer, own),
      manager: fc.constantFrom('csi-provisioner', 'pv-reclaim-honor'),
      managed: fc.subarray(names),
    });
    fc.assert(
      fc.property(shapes, ({ finalizers, record, manager, managed }) => {
        const annotations = record === undefined ? {} : recorded(record);
        const shape: Shape = { finalizers, annotations, managers: { [manager]: managed } };
        const after = left(shape)?.split(' ') ?? finalizers;
        const isOurs = (each: string): boolean =>
          each === record ||
          (manager === 'pv-reclaim-honor' &&
            managed.includes(each) &&
            [csiFinalizer, inTreeFinalizer].includes(each));
        expect(finalizers.filter((each) => !after.includes(each)).every(isOurs)).toBe(true);
        const again: Shape = {
          finalizers: after.filter((each) => each !== ''),
          managers: { [manager]: managed },
        };
        expect(left(again)).toBeUndefined();
      }),
    );
  });
});

describe('A1: what the administrator is to know of a volume', () => {
  const held = { finalizers: [csiFinalizer], annotations: recorded(csiFinalizer), claimUid: 'c' } as const;
  test.each<{ name: string; shape: Shape; expected: RegExp | undefined }>([
    {
      name: 'released -> its storage is left behind, and which it is',
      shape: { ...held, phase: 'Released' },
      expected: /driver csi\.example\.com, handle "handle"$/,
    },
    {
      name: 'released, a folder -> its path as it was written',
      shape: {
        finalizers: [inTreeFinalizer],
        annotations: recorded(inTreeFinalizer),
        claimUid: 'c',
        phase: 'Released',
        source: { hostPath: { path: '/srv/my volumes//V1' } },
      },
      expected: /folder "\/srv\/my volumes\/\/V1"$/,
    },
    { name: 'failed -> the same', shape: { ...held, phase: 'Failed' }, expected: /left behind/ },
    { name: 'terminating -> the same', shape: { ...held, deleted: true }, expected: /left behind/ },
    { name: 'bound -> nothing', shape: held, expected: undefined },
    {
      name: 'Retain -> nothing',
      shape: { ...held, phase: 'Released', policy: 'Retain' },
      expected: undefined,
    },
    {
      name: 'record alone -> nothing',
      shape: { annotations: recorded(csiFinalizer), claimUid: 'c', phase: 'Released' },
      expected: undefined,
    },
  ])('$name', ({ shape, expected }) => {
    const notice = stepFor().notice(whole(shape));
    if (expected === undefined) {
      expect(notice).toBeUndefined();
    } else {
      expect(notice).toMatch(expected);
    }
  });
});
