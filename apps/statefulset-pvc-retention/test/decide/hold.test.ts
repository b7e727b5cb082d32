import { describe, expect, test } from '@jest/globals';
import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import { decide } from '../../src/decide/decide.ts';
import type { OwnersDecision } from '../../src/decide/decision.ts';
import { decideLeftover } from '../../src/decide/leftover.ts';
import { decideAgain } from '../../src/decide/look-back.ts';
import type { Snapshot } from '../../src/decide/snapshot.ts';
import { uninstallSteps } from '../../src/uninstall.ts';
import {
  agreeing,
  claim,
  facts,
  foreignController,
  foreignOwner,
  hold,
  leftover,
  snapshot,
  stock,
  toPod,
  toSet,
} from '../snapshots.ts';
import { decided } from './decided.ts';

const deletes = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const;
const held = claim([foreignOwner, toSet(), hold]);
const waiting = snapshot({ claim: held, workload: facts(deletes) });

function claimNamed(name: string, owners: readonly OwnerReference[]): PersistentVolumeClaim {
  const { metadata } = claim(owners);
  return { metadata: { ...metadata, name } };
}

interface Case {
  readonly name: string;
  readonly given: Partial<Snapshot>;
  readonly operation: OwnersDecision['operation'];
  readonly references: readonly OwnerReference[];
}

describe('R1: claim that is held', () => {
  test("it would have the set's reference alone -> the set is looked at live first", () => {
    expect(decide(waiting)).toEqual({ kind: 'askLive', about: 'workload' });
  });

  const cases: readonly Case[] = [
    {
      name: 'its set lives on -> confirmed',
      given: {},
      operation: 'confirm',
      references: [foreignOwner, toSet()],
    },
    {
      name: 'its set is being deleted, and might have been orphaned before -> both go',
      given: { workload: facts({ ...deletes, deletion: 'underWay' }) },
      operation: 'remove',
      references: [foreignOwner],
    },
    {
      name: 'its set is being orphaned -> both go',
      given: { workload: facts({ ...deletes, deletion: 'orphaning' }) },
      operation: 'remove',
      references: [foreignOwner],
    },
    {
      name: 'its set was turned to Retain -> both go',
      given: { workload: facts() },
      operation: 'remove',
      references: [foreignOwner],
    },
    {
      name: 'the set of the name is another -> both go',
      given: { workload: facts({ ...deletes, uid: 'another' }) },
      operation: 'remove',
      references: [foreignOwner],
    },
    {
      name: 'it has another controller by now -> both go',
      given: { claim: claim([foreignController, toSet(), hold]) },
      operation: 'remove',
      references: [foreignController],
    },
    {
      name: 'two sets make claims of the name -> both go',
      given: { shared: true },
      operation: 'remove',
      references: [foreignOwner],
    },
    {
      name: "scaled down, its pod is there -> the pod's takes their place",
      given: { workload: facts({ ...deletes, wanted: false }) },
      operation: 'swap',
      references: [foreignOwner, toPod()],
    },
    {
      name: "scaled down, the stock controller's reference to the pod took the place of ours -> confirmed",
      given: {
        workload: facts({ ...deletes, wanted: false }),
        claim: claim([foreignOwner, stock(toPod()), hold]),
      },
      operation: 'confirm',
      references: [foreignOwner, stock(toPod())],
    },
    {
      name: 'the garbage collector took the reference away -> the reference comes again, with the hold',
      given: { claim: claim([foreignOwner, hold]) },
      operation: 'add',
      references: [foreignOwner, toSet(), hold],
    },
    {
      name: 'the same, and the set is being deleted -> the hold goes',
      given: { claim: claim([hold]), workload: facts({ ...deletes, deletion: 'underWay' }) },
      operation: 'remove',
      references: [],
    },
    {
      name: "the stock controller's took the place of ours -> confirmed",
      given: { claim: claim([stock(toSet()), hold]), stock: 'atWork' },
      operation: 'confirm',
      references: [stock(toSet())],
    },
    {
      name: 'beside a stock controller at work -> confirmed at once',
      given: { stock: 'atWork' },
      operation: 'confirm',
      references: [foreignOwner, toSet()],
    },
    {
      name: 'gate CollectMissedScaleDown, scaled down without a pod -> confirmed before anything else',
      given: {
        workload: facts({ ...deletes, wanted: false }),
        claim: claim([toSet(), hold]),
        pod: undefined,
        collectMissed: true,
      },
      operation: 'confirm',
      references: [toSet()],
    },
    {
      name: 'gate StatefulSetAutoDeletePVC off -> both go',
      given: { enabled: false, workload: facts() },
      operation: 'remove',
      references: [foreignOwner],
    },
  ];
  test.each(cases)('$name', ({ given, operation, references }) => {
    expect(decided({ ...waiting, ...given })).toMatchObject({ kind: 'setOwners', operation, references });
  });

  test.each([
    { name: 'gone', workload: undefined },
    { name: 'another of the name', workload: facts({ ...deletes, uid: 'another' }) },
    { name: 'being orphaned', workload: facts({ ...deletes, deletion: 'orphaning' }) },
    { name: 'being deleted', workload: facts({ ...deletes, deletion: 'underWay' }) },
    { name: 'turned to Retain', workload: facts() },
  ] as const)('set is $name, which the cache does not show yet -> stays held', ({ workload }) => {
    expect(decide({ ...waiting, live: agreeing(waiting, { workload }) }).kind).toBe('lookAgain');
  });

  test.each([
    { name: 'claim that came back from a backup', reference: { ...hold, uid: 'uid-of-the-saved-claim' } },
    { name: 'one that blocks its deletion', reference: { ...hold, blockOwnerDeletion: true } },
    { name: 'another kind of the same UID', reference: { ...hold, kind: 'Backup' } },
    { name: "a user's own reference to itself", reference: { ...hold, controller: undefined } },
  ])('$name -> is not held', ({ reference }) => {
    const { controller, ...rest } = reference;
    const written = controller === undefined ? rest : reference;
    expect(decide({ ...waiting, claim: claim([toSet(), written]) })).toEqual({
      kind: 'none',
      reason: 'Settled',
    });
  });
});

describe('R1: look back at a held claim', () => {
  test('set is as it was -> confirmed', () => {
    expect(decideAgain(waiting, facts(deletes))).toMatchObject({
      operation: 'confirm',
      references: [foreignOwner, toSet()],
    });
  });

  test.each([
    { name: 'set is gone', owners: [foreignOwner, toSet(), hold] },
    { name: 'set is gone, and its reference too', owners: [foreignOwner, hold] },
    {
      name: 'set is being deleted',
      owners: [foreignOwner, toSet(), hold],
      workload: facts({ ...deletes, deletion: 'underWay' }),
    },
  ] as const)('$name -> nothing of ours is left', ({ owners, workload }) => {
    expect(decideAgain({ ...waiting, claim: claim(owners) }, workload)).toMatchObject({
      operation: 'remove',
      references: [foreignOwner],
    });
  });
});

test.each([
  { name: 'with its reference', owners: [foreignOwner, toSet(), hold], left: [foreignOwner] },
  { name: 'the reference was taken away', owners: [hold], left: [] },
  {
    name: "with a stock controller's",
    owners: [stock(toSet()), hold],
    left: [],
  },
])('R1: held claim of a set that is gone, $name -> nothing of it is left', ({ owners, left }) => {
  expect(decideLeftover(leftover({ claim: claim(owners) }))).toMatchObject({
    kind: 'setOwners',
    operation: 'remove',
    references: left,
  });
});

describe('claim that is held for the reference to another workload whose name fits too', () => {
  const other = toSet({ name: 'b', uid: 'uid-of-b' });
  const owners = [foreignOwner, other, hold];
  const given = { ...snapshot(), podName: 'a-b-1', claim: claimNamed('data-a-b-1', owners) };

  test.each([
    { name: 'this one lives on', workload: facts({ ...deletes, name: 'a-b' }) },
    { name: 'this one retains', workload: facts({ name: 'a-b' }) },
    { name: 'this one is being deleted', workload: facts({ ...deletes, name: 'a-b', deletion: 'underWay' }) },
    { name: 'both are there', workload: facts({ ...deletes, name: 'a-b' }), shared: true },
  ] as const)('$name -> the hold does not go without that reference', ({ workload, shared = false }) => {
    expect(decided({ ...given, workload, shared })).toMatchObject({
      kind: 'setOwners',
      operation: 'remove',
      references: [foreignOwner],
    });
  });

  test('uninstalled, the kind of that workload is not said -> the hold does not go without that reference', () => {
    const [step] = uninstallSteps([
      { group: 'example.com', version: 'v1', kind: 'Database', plural: 'databases', namespaced: true },
    ]);
    expect(step?.takeBack(given.claim)).toContainEqual({
      op: 'replace',
      path: '/metadata/ownerReferences',
      value: [foreignOwner],
    });
  });
});

test('R1: uninstalled while a claim is held -> reference and hold are taken back', () => {
  const [step] = uninstallSteps([
    { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true },
  ]);
  expect(step?.takeBack(held)).toContainEqual({
    op: 'replace',
    path: '/metadata/ownerReferences',
    value: [foreignOwner],
  });
});
