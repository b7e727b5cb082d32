import { describe, expect, test } from '@jest/globals';
import type { PersistentVolumeClaim, Pod } from '@holdfast/core';
import { plan } from '../src/plan/plan.ts';
import { type Reason, wordsOf } from '../src/plan/reason.ts';
import type { Action, Retainers, World } from '../src/plan/world.ts';
import {
  byConfigMap,
  byPod,
  bySet,
  claimOf,
  gatesWith,
  kruise,
  now,
  podOf,
  setOf,
  worldOf,
  type SetShape,
} from './objects.ts';

const stock: Retainers = { stock: 'atWork', holdfast: 'absent' };
const nobody: Retainers = { stock: 'absent', holdfast: 'absent' };
const ours: Retainers = { stock: 'absent', holdfast: gatesWith() };
const windows: Retainers = { stock: 'absent', holdfast: gatesWith('DeletionGracePeriod=true') };
const collecting: Retainers = { stock: 'absent', holdfast: gatesWith('CollectMissedScaleDown=true') };
const unknown: Retainers = { stock: 'unknown', holdfast: 'absent' };

const toOne: Action = { kind: 'scale', replicas: 1 };
const deletion: Action = { kind: 'delete', cascade: 'background' };
const orphaning: Action = { kind: 'delete', cascade: 'orphan' };
const foreground: Action = { kind: 'delete', cascade: 'foreground' };

const scaled: SetShape = { whenScaled: 'Delete' };
const deleted: SetShape = { whenDeleted: 'Delete' };
const both: SetShape = { whenScaled: 'Delete', whenDeleted: 'Delete' };
const annotated: SetShape = {
  field: false,
  annotations: { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/when-scaled': 'Delete' },
};
const withWindow: SetShape = {
  annotations: {
    'holdfast.dev/when-deleted': 'Delete',
    'holdfast.dev/when-scaled': 'Delete',
    'holdfast.dev/scale-down-grace': '30m',
    'holdfast.dev/set-deletion-grace': '24h',
  },
};
const badWindow: SetShape = {
  annotations: { ...withWindow.annotations, 'holdfast.dev/scale-down-grace': '1d' },
};

interface Given {
  readonly claim?: PersistentVolumeClaim;
  readonly pods?: readonly Pod[];
  readonly more?: Partial<World>;
}

/** Of the claim of ordinal 1, in a set of two that has pods 0 and 1. */
function outcomesOf(
  shape: SetShape,
  action: Action,
  retainers: Retainers,
  { claim = claimOf(1), pods = [podOf(0), podOf(1)], more = {} }: Given = {},
) {
  const world = worldOf(setOf(shape), [claim], pods, more);
  const [planned] = plan(world, action, retainers, new Map(), []);
  return (planned?.outcomes ?? []).map(({ fate, reason, until }) => [
    fate,
    reason.code,
    ...(until === undefined ? [] : [until]),
  ]);
}

test('claim has a reference with the UID of the set, but another kind -> it stays, and the owner is named', () => {
  const claim = claimOf(1, { owners: [{ ...bySet, kind: 'statefulset', controller: false }] });
  const world = worldOf(setOf(scaled), [claim], [podOf(0), podOf(1)], {});
  const [planned] = plan(world, toOne, ours, new Map(), []);
  expect(planned?.outcomes).toMatchObject([
    { fate: 'stays', reason: { code: 'OtherOwners', owners: ['statefulset web'] } },
  ]);
});

type Row = readonly [
  state: string,
  shape: SetShape,
  action: Action,
  retainers: Retainers,
  given: Given,
  ...outcomes: readonly (readonly string[])[],
];

const backup = new Map([['uid-of-backup', 'lives' as const]]);

/** With what it shows in its name. */
const named = (rows: readonly Row[]): readonly (readonly [name: string, row: Row])[] =>
  rows.map((row) => {
    const [state, , , , , ...outcomes] = row;
    return [`${state} -> ${outcomes.map((outcome) => outcome.join(' ')).join(', or ')}`, row];
  });

describe('claim of ordinal 1 in a set of two', () => {
  test.each(
    named([
      ['scaled, Retain', {}, toOne, stock, {}, ['stays', 'Retained']],
      ['scaled, Delete', scaled, toOne, stock, {}, ['goes', 'OwnersGone']],
      ['scaled, Delete, by Holdfast', scaled, toOne, ours, {}, ['goes', 'OwnersGone']],
      ['scaled, Delete, nobody', scaled, toOne, nobody, {}, ['stays', 'NobodyCarriesOut']],
      ['scaled up', scaled, { kind: 'scale', replicas: 3 }, stock, {}, ['stays', 'OrdinalWanted']],
      [
        'scaled, Delete, perhaps by the stock controller',
        scaled,
        toOne,
        unknown,
        {},
        ['goes', 'OwnersGone'],
        ['stays', 'NobodyCarriesOut'],
      ],
      [
        'scaled, Delete, perhaps by Holdfast',
        scaled,
        toOne,
        { stock: 'absent', holdfast: 'unknown' },
        {},
        ['stays', 'NobodyCarriesOut'],
        ['goes', 'OwnersGone'],
      ],
      [
        'scaled, Delete, by Holdfast of unknown flags',
        scaled,
        toOne,
        { stock: 'absent', holdfast: 'gatesUnknown' },
        {},
        ['goes', 'OwnersGone'],
        ['stays', 'NobodyCarriesOut'],
      ],
      [
        'scaled, no pod, by Holdfast of unknown flags',
        scaled,
        toOne,
        { stock: 'absent', holdfast: 'gatesUnknown' },
        { pods: [podOf(0)] },
        ['stays', 'NoPod'],
        ['goes', 'ScaleDownCollected'],
      ],
      [
        'scaled up again while its pod still ends',
        scaled,
        { kind: 'scale', replicas: 2 },
        stock,
        {
          claim: claimOf(1, { owners: [byPod(1)] }),
          pods: [podOf(0), podOf(1, { deletedAt: '2026-03-01T11:59:00Z' })],
        },
        ['goes', 'OwnersGone'],
      ],
      [
        'scaled, its pod is on its way already',
        scaled,
        toOne,
        stock,
        {
          claim: claimOf(1, { owners: [byPod(1)] }),
          pods: [podOf(0), podOf(1, { deletedAt: '2026-03-01T11:59:00Z' })],
        },
        ['goes', 'OwnersGone'],
      ],
      [
        'scaled, missed, a pod of another that ends uses it',
        scaled,
        toOne,
        collecting,
        {
          pods: [podOf(0), podOf(1, { name: 'job', ofSet: false, deletedAt: '2026-03-01T11:59:00Z' })],
        },
        ['goes', 'ScaleDownCollected'],
      ],
      [
        'scaled, missed, a pod of another uses it',
        scaled,
        toOne,
        collecting,
        { pods: [podOf(0), podOf(1, { name: 'job', ofSet: false })] },
        ['stays', 'InUse'],
      ],
      [
        'deleted, another owner is on its way',
        deleted,
        deletion,
        stock,
        {
          claim: claimOf(1, { owners: [bySet, byConfigMap(false)] }),
          more: { owners: new Map([['uid-of-backup', 'leaving' as const]]) },
        },
        ['stays', 'OtherOwners'],
        ['goes', 'OwnersGone'],
      ],
      ['scaled, no pod', scaled, toOne, stock, { pods: [podOf(0)] }, ['stays', 'NoPod']],
      ['scaled, no pod, by Holdfast', scaled, toOne, ours, { pods: [podOf(0)] }, ['stays', 'NoPod']],
      [
        'scaled, no pod, missed ones collected',
        scaled,
        toOne,
        collecting,
        { pods: [podOf(0)] },
        ['goes', 'ScaleDownCollected'],
      ],
      ['scaled, annotations', annotated, toOne, ours, {}, ['goes', 'OwnersGone']],
      ['scaled, annotations, no Holdfast', annotated, toOne, nobody, {}, ['stays', 'AnnotationIgnored']],
      [
        'scaled, window',
        withWindow,
        toOne,
        windows,
        {},
        ['goesLater', 'MarkedScaledDown', '2026-03-01T12:30:00.000Z'],
      ],
      ['scaled, window, gate off', withWindow, toOne, ours, {}, ['stays', 'WindowUnusable']],
      ['scaled, window that is no duration', badWindow, toOne, windows, {}, ['stays', 'WindowUnusable']],
      [
        'scaled, another controller',
        scaled,
        toOne,
        stock,
        { claim: claimOf(1, { owners: [byConfigMap(true)] }), more: { owners: backup } },
        ['stays', 'ForeignController'],
      ],
      [
        'scaled, another controller, by Holdfast',
        scaled,
        toOne,
        ours,
        { claim: claimOf(1, { owners: [byConfigMap(true)] }), more: { owners: backup } },
        ['stays', 'ForeignController'],
      ],
      [
        'scaled, another owner',
        scaled,
        toOne,
        stock,
        { claim: claimOf(1, { owners: [byConfigMap(false)] }), more: { owners: backup } },
        ['stays', 'OtherOwners'],
      ],
      [
        'scaled, another owner that can not be looked for',
        scaled,
        toOne,
        stock,
        {
          claim: claimOf(1, { owners: [byConfigMap(false)] }),
          more: { owners: new Map([['uid-of-backup', 'unknown' as const]]) },
        },
        ['stays', 'OtherOwners'],
        ['goes', 'OwnersGone'],
      ],
      [
        'scaled, name shared',
        scaled,
        toOne,
        ours,
        { more: { shared: new Set(['data-web-1']) } },
        ['stays', 'SharedName'],
      ],
      [
        'scaled, being deleted',
        scaled,
        toOne,
        stock,
        { claim: claimOf(1, { deletedAt: '2026-03-01T11:00:00Z' }) },
        ['goes', 'DeletedAlready'],
      ],
      ['deleted, Retain', {}, deletion, stock, {}, ['stays', 'Retained']],
      [
        'deleted, Delete',
        deleted,
        deletion,
        stock,
        { claim: claimOf(1, { owners: [bySet] }) },
        ['goes', 'OwnersGone'],
      ],
      [
        'deleted in the foreground, Delete',
        deleted,
        foreground,
        stock,
        { claim: claimOf(1, { owners: [bySet] }) },
        ['goes', 'OwnersGone'],
      ],
      [
        'deleted, Delete, reference not written yet',
        deleted,
        deletion,
        stock,
        {},
        ['goes', 'OwnersGone'],
        ['stays', 'NotOwnedYet'],
      ],
      [
        'deleted, turned to Retain a moment ago, reference still there',
        {},
        deletion,
        stock,
        { claim: claimOf(1, { owners: [bySet] }) },
        ['stays', 'Retained'],
        ['goes', 'OwnersGone'],
      ],
      [
        'deleted, Delete, no pod',
        deleted,
        deletion,
        stock,
        { pods: [], claim: claimOf(3) },
        ['stays', 'NoPod'],
      ],
      [
        'orphaned, Delete',
        both,
        orphaning,
        stock,
        { claim: claimOf(1, { owners: [bySet] }) },
        ['stays', 'Orphaned'],
      ],
      [
        'orphaned while it is scaled down, by the stock controller',
        { ...both, replicas: 1 },
        orphaning,
        stock,
        { claim: claimOf(1, { owners: [byPod(1)] }) },
        ['stays', 'GoesWithPod'],
      ],
      [
        'orphaned while it is scaled down, by Holdfast',
        { ...both, replicas: 1 },
        orphaning,
        ours,
        { claim: claimOf(1, { owners: [{ ...byPod(1), blockOwnerDeletion: false }] }) },
        ['stays', 'Orphaned'],
      ],
      [
        'scaled up, but the set is being deleted, Delete',
        { ...deleted, deletedAt: '2026-03-01T11:00:00Z', finalizers: ['foregroundDeletion'] },
        { kind: 'scale', replicas: 3 },
        stock,
        { claim: claimOf(1, { owners: [bySet] }) },
        ['goes', 'OwnersGone'],
      ],
      [
        'deleted, but the set is being orphaned, Delete',
        { ...deleted, deletedAt: '2026-03-01T11:00:00Z', finalizers: ['orphan'] },
        deletion,
        stock,
        { claim: claimOf(1, { owners: [bySet] }) },
        ['stays', 'Orphaned'],
      ],
      [
        'deleted, but the set is being deleted already, reference never written',
        { ...deleted, deletedAt: '2026-03-01T11:00:00Z', finalizers: ['foregroundDeletion'] },
        deletion,
        stock,
        {},
        ['stays', 'NotOwnedYet'],
      ],
      [
        'deleted, window',
        withWindow,
        deletion,
        windows,
        {
          claim: claimOf(1, {
            annotations: {
              'holdfast.dev/deleted-with': 'StatefulSet.apps/web/uid-of-web/uid-of-data-web-1',
            },
          }),
        },
        ['goesLater', 'MarkedWithSet', '2026-03-02T12:00:00.000Z'],
      ],
      ['deleted, window, gate off', withWindow, deletion, ours, {}, ['stays', 'WindowUnusable']],
      [
        'deleted, window, gate off, and the stock controller retains by the field',
        withWindow,
        deletion,
        { stock: 'atWork', holdfast: gatesWith() },
        {},
        ['stays', 'WindowUnusable'],
      ],
      [
        'deleted, Delete in the field, window, gate off',
        { ...withWindow, ...deleted },
        deletion,
        ours,
        {},
        ['stays', 'WindowUnusable'],
      ],
      [
        'deleted, window, held up by another finalizer',
        { ...withWindow, finalizers: ['example.com/backup'] },
        deletion,
        windows,
        {
          claim: claimOf(1, {
            annotations: {
              'holdfast.dev/deleted-with': 'StatefulSet.apps/web/uid-of-web/uid-of-data-web-1',
            },
          }),
        },
        ['stays', 'EndUnseen'],
      ],
    ]),
  )('%s', (_, [, shape, action, retainers, given, ...outcomes]) => {
    expect(outcomesOf(shape, action, retainers, given)).toEqual(outcomes);
  });
});

describe('Holdfast was led again half an hour ago, after nobody had led it for long', () => {
  const hourEnd = '2026-03-01T12:30:00.000Z';
  const again = { wait: { kind: 'until', time: Date.parse(hourEnd) } } as const;
  const marked = (deleteAfter: string) => ({
    claim: claimOf(1, {
      annotations: {
        'holdfast.dev/delete-after': deleteAfter,
        'holdfast.dev/delete-after-uid': 'uid-of-data-web-1',
        'holdfast.dev/delete-after-scale-down': 'StatefulSet.apps/web/uid-of-web/uid-of-data-web-1',
      },
    }),
    pods: [podOf(0)],
  });
  const overdue = marked('2026-03-01T11:59:00.000Z');
  const dueSoon = marked('2026-03-01T12:10:00.000Z');
  const dueLater = marked('2026-03-01T13:10:00.000Z');
  const past = { wait: { kind: 'until', time: now } } as const;
  const onceLed = { wait: { kind: 'onceLed', time: Date.parse('2026-03-01T13:00:00Z') } } as const;

  test.each(
    named([
      [
        'window over',
        withWindow,
        toOne,
        { ...windows, ...again },
        overdue,
        ['goesLater', 'MarkedScaledDown', hourEnd],
      ],
      [
        'window ends within the hour',
        withWindow,
        toOne,
        { ...windows, ...again },
        dueSoon,
        ['goesLater', 'MarkedScaledDown', hourEnd],
      ],
      [
        'window ends after the hour',
        withWindow,
        toOne,
        { ...windows, ...again },
        dueLater,
        ['goesLater', 'MarkedScaledDown', '2026-03-01T13:10:00.000Z'],
      ],
      [
        'scaled down earlier, missed ones collected',
        scaled,
        toOne,
        { ...collecting, ...again },
        { pods: [podOf(0)] },
        ['goesLater', 'ScaleDownCollected', hourEnd],
      ],
      ['goes with its pod', scaled, toOne, { ...ours, ...again }, {}, ['goes', 'OwnersGone']],
      ['the hour is over', withWindow, toOne, { ...windows, ...past }, overdue, ['goes', 'GraceOver']],
      [
        'nobody leads it yet',
        withWindow,
        toOne,
        { ...windows, ...onceLed },
        overdue,
        ['goesLater', 'MarkedScaledDown', '2026-03-01T13:00:00.000Z'],
      ],
      [
        'whether is not known',
        withWindow,
        toOne,
        { ...windows, wait: { kind: 'unread' } },
        overdue,
        ['goes', 'GraceOver'],
      ],
    ]),
  )('%s', (_, [, shape, action, retainers, given, ...outcomes]) => {
    expect(outcomesOf(shape, action, retainers, given)).toEqual(outcomes);
  });
});

test('both at work -> as by the stock controller, which goes first', () => {
  expect(outcomesOf(both, toOne, { stock: 'atWork', holdfast: gatesWith() })).toEqual([
    ['goes', 'OwnersGone'],
  ]);
});

test('claim that another claim of the set owns -> it goes with that, and only then', () => {
  const byClaim = { ...byConfigMap(false), kind: 'PersistentVolumeClaim', uid: 'uid-of-data-web-0' };
  const claims = [claimOf(0, { owners: [bySet] }), claimOf(1, { owners: [byClaim] })];
  const set = setOf({ ...deleted, replicas: 2 });
  const fates = (action: Action) =>
    plan(worldOf(set, claims, [podOf(0)]), action, nobody, new Map(), []).map(
      ({ outcomes }) => outcomes[0].fate,
    );
  expect(fates(toOne)).toEqual(['stays', 'stays']);
  expect(fates(deletion)).toEqual(['goes', 'goes']);
});

test('claims of many ordinals -> in their order, not in that of their names', () => {
  const claims = [10, 9, 2].map((ordinal) => claimOf(ordinal));
  const planned = plan(worldOf(setOf(), claims, []), toOne, stock, new Map(), []);
  expect(planned.map(({ ordinal }) => ordinal)).toEqual([2, 9, 10]);
});

test('a thousand claims, everything unknown -> each has its outcomes, in one go', () => {
  const ordinals = Array.from({ length: 1_000 }, (_, index) => index);
  const world = worldOf(
    setOf({ ...both, replicas: 1_000 }),
    ordinals.map((ordinal) => claimOf(ordinal)),
    ordinals.map((ordinal) => podOf(ordinal)),
    { now },
  );
  const planned = plan(world, deletion, { stock: 'unknown', holdfast: 'unknown' }, new Map(), []);
  expect(planned).toHaveLength(1_000);
  expect(planned.every(({ outcomes }) => outcomes.length === 2)).toBe(true);
});

test.each<readonly [Reason, RegExp]>([
  [{ code: 'OwnersGone', owners: ['Pod web-1'] }, /^with its owner, Pod web-1$/],
  [{ code: 'Retained', half: 'whenScaled' }, /^whenScaled is Retain$/],
  [{ code: 'AnnotationIgnored', half: 'whenDeleted' }, /holdfast\.dev\/when-deleted/],
  [{ code: 'ForeignController', owners: ['ConfigMap backup'] }, /ConfigMap backup controls it/],
])('%j -> names what it is about', (reason, words) => {
  expect(wordsOf(reason)).toMatch(words);
});

describe('set of Kruise, by Holdfast', () => {
  const claim = claimOf(1, {
    owners: [{ ...bySet, apiVersion: 'apps.kruise.io/v1beta1', blockOwnerDeletion: false }],
  });
  const fateIn = (shape: SetShape, action: Action, reserveOrdinals: readonly number[] = []) => {
    const set = setOf(shape);
    const spec = { ...set.spec, reserveOrdinals } as NonNullable<typeof set.spec>;
    const world = worldOf({ ...set, spec }, [claim], [podOf(0), podOf(1)], { resource: kruise });
    return plan(world, action, ours, new Map(), []).map(({ outcomes: [{ fate, reason }] }) => [
      fate,
      reason.code,
    ]);
  };

  test.each<readonly [string, SetShape, Action, readonly number[], readonly string[]]>([
    ['deleted, Delete', deleted, deletion, [], ['goes', 'OwnersGone']],
    ['scaled, Delete', scaled, toOne, [], ['goes', 'OwnersGone']],
    ['scaled, Delete, ordinal 0 is reserved', scaled, toOne, [0], ['stays', 'OrdinalWanted']],
    ['deleted, turned to Retain', {}, deletion, [], ['stays', 'Retained']],
  ])('%s -> as its policy says', (_, shape, action, reserved, outcome) => {
    expect(fateIn(shape, action, reserved)).toEqual([outcome]);
  });
});
