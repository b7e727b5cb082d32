import { describe, expect, test } from '@jest/globals';
import type { OwnerReference } from '@holdfast/core';
import { decide } from '../src/decide/decide.ts';
import type { Decision } from '../src/decide/decision.ts';
import type { Retention, Snapshot } from '../src/decide/snapshot.ts';
import {
  agreeing,
  claim,
  deleteAfter,
  facts,
  foreignController,
  foreignOwner,
  noon,
  ownPod,
  plain,
  snapshot,
  stock,
  toPod,
  toSet,
} from './snapshots.ts';

/** The decision when the API server says the same as the cache. */
function decided(given: Snapshot): Decision {
  return decide({ ...given, live: agreeing(given) });
}

/** What the claim's owners are after the decision. */
function ownersAfter(given: Snapshot): readonly OwnerReference[] {
  const decision = decided(given);
  return decision.kind === 'setOwners' ? decision.references : (given.claim?.metadata.ownerReferences ?? []);
}

const policies: readonly {
  readonly whenScaled: Retention;
  readonly whenDeleted: Retention;
  readonly wanted: readonly OwnerReference[];
  readonly condemned: readonly OwnerReference[];
}[] = [
  { whenScaled: 'Retain', whenDeleted: 'Retain', wanted: [], condemned: [] },
  { whenScaled: 'Retain', whenDeleted: 'Delete', wanted: [toSet()], condemned: [toSet()] },
  { whenScaled: 'Delete', whenDeleted: 'Retain', wanted: [], condemned: [toPod()] },
  { whenScaled: 'Delete', whenDeleted: 'Delete', wanted: [toSet()], condemned: [toPod()] },
];

const beforehand: readonly { readonly name: string; readonly owners: readonly OwnerReference[] }[] = [
  { name: 'no owner', owners: [] },
  { name: 'the set', owners: [toSet()] },
  { name: 'the pod', owners: [toPod()] },
  { name: 'set and pod, one without the flag', owners: [toSet({ controller: false }), toPod()] },
];

describe('the table', () => {
  for (const { whenScaled, whenDeleted, wanted, condemned } of policies) {
    for (const isWanted of [true, false]) {
      const right = isWanted ? wanted : condemned;
      const workload = facts({ whenScaled, whenDeleted, wanted: isWanted });
      const title = `whenScaled ${whenScaled}, whenDeleted ${whenDeleted}, ${isWanted ? 'wanted' : 'condemned'}`;
      for (const { name, owners } of beforehand.slice(0, 3)) {
        test(`${title}, owner ${name} -> ${right[0]?.kind ?? 'none'}`, () => {
          const given = snapshot({ claim: claim(owners), workload });
          expect(ownersAfter(given)).toEqual(right);
          if (owners[0]?.kind === right[0]?.kind) {
            expect(decided(given).kind).toBe('none');
          }
        });
        test(`${title}, foreign owner and ${name} -> the foreign one stays first`, () => {
          const given = snapshot({ claim: claim([foreignOwner, ...owners]), workload });
          expect(ownersAfter(given)).toEqual([foreignOwner, ...right]);
        });
      }
      test(`${title}, right after -> nothing more to do`, () => {
        expect(decide(snapshot({ claim: claim(right), workload })).kind).toBe('none');
      });
      test(`${title}, the stock controller's reference -> left as it is`, () => {
        expect(decide(snapshot({ claim: claim(right.map(stock)), workload })).kind).toBe('none');
      });
    }
  }

  test('every answer leaves at most one controller', () => {
    for (const { whenScaled, whenDeleted } of policies) {
      for (const isWanted of [true, false]) {
        for (const { owners } of beforehand) {
          const workload = facts({ whenScaled, whenDeleted, wanted: isWanted });
          const after = ownersAfter(snapshot({ claim: claim(owners), workload }));
          expect(after.filter(({ controller }) => controller === true).length).toBeLessThanOrEqual(1);
        }
      }
    }
  });
});

const deletes = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const;
const scaledDown = facts({ ...deletes, wanted: false });

interface Case {
  readonly name: string;
  readonly given: Partial<Snapshot>;
  readonly expected: Record<string, unknown>;
}

const cases: readonly Case[] = [
  {
    name: 'claim gone -> nothing',
    given: { claim: undefined },
    expected: { kind: 'none', reason: 'ClaimGone' },
  },
  {
    name: 'claim terminating -> nothing',
    given: { claim: claim([], { deleted: true }), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'ClaimTerminating' },
  },
  {
    name: 'reference to an earlier set of the name -> left to the garbage collector',
    given: { claim: claim([toSet({ uid: 'earlier' })]), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'StaleReference' },
  },
  {
    name: 'reference to an earlier set of the name, Retain -> left to the garbage collector',
    given: { claim: claim([toSet({ uid: 'earlier' })]) },
    expected: { kind: 'none', reason: 'StaleReference' },
  },
  {
    name: 'reference to an earlier pod, another has the name -> left to the garbage collector',
    given: { claim: claim([toPod({ uid: 'earlier' })]), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'StaleReference' },
  },
  {
    name: 'scaled up again after the pod is gone -> the claim goes, the new pod waits (KEP)',
    given: { claim: claim([toPod()]), pod: undefined, workload: facts(deletes) },
    expected: { kind: 'none', reason: 'PodGone' },
  },
  {
    name: 'turned to Retain, the pod is gone, its claim not yet -> rescued',
    given: { claim: claim([toPod()]), pod: undefined },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'scaled up again while the pod still ends -> swapped back',
    given: { claim: claim([toPod()]), workload: facts(deletes) },
    expected: { kind: 'setOwners', operation: 'swap', references: [toSet()] },
  },
  {
    name: 'scaled down, pod gone before us, its UID known -> the last known UID serves',
    given: { pod: undefined, lastPodUid: 'last', workload: scaledDown },
    expected: { kind: 'setOwners', operation: 'add', references: [toPod({ uid: 'last' })] },
  },
  {
    name: 'pod gone, ordinal wanted -> its last UID does not matter',
    given: { claim: claim([toSet()]), pod: undefined, lastPodUid: 'last', workload: facts(deletes) },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'scaled down unseen -> kept',
    given: { claim: claim([toSet()]), pod: undefined, workload: scaledDown },
    expected: { kind: 'none', reason: 'ScaleDownMissed' },
  },
  {
    name: 'scaled down unseen, whenDeleted Retain -> kept, without owner',
    given: { claim: claim([toSet()]), pod: undefined, workload: { ...scaledDown, whenDeleted: 'Retain' } },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'scaled down unseen, gate CollectMissedScaleDown -> deleted',
    given: { claim: claim([toSet()]), pod: undefined, workload: scaledDown, collectMissed: true },
    expected: { kind: 'deleteClaim', reason: 'ScaleDownMissed' },
  },
  {
    name: 'scaled down unseen, gate CollectMissedScaleDown, foreign owner -> kept',
    given: {
      claim: claim([foreignOwner, toSet()]),
      pod: undefined,
      workload: scaledDown,
      collectMissed: true,
    },
    expected: { kind: 'none', reason: 'OtherOwners' },
  },
  {
    name: 'gate CollectMissedScaleDown, ordinal wanted without a pod -> kept',
    given: { pod: undefined, workload: facts(deletes), claim: claim([toSet()]), collectMissed: true },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'gate CollectMissedScaleDown, whenScaled Retain -> kept',
    given: { pod: undefined, workload: facts({ wanted: false }), collectMissed: true },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: "condemned, a pod that is not the set's has the name -> it becomes no owner",
    given: { pod: { uid: 'foreign', ofWorkload: false }, workload: scaledDown },
    expected: { kind: 'setOwners', operation: 'add', references: [toSet()] },
  },
  {
    name: 'foreign controller -> none of ours is added',
    given: { claim: claim([foreignController]), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'ForeignController' },
  },
  {
    name: 'foreign controller, Retain -> nothing to tell',
    given: { claim: claim([foreignController]) },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: "our reference beside a foreign controller's -> ours goes",
    given: { claim: claim([foreignController, toSet()]), workload: facts(deletes) },
    expected: { kind: 'setOwners', operation: 'remove', references: [foreignController] },
  },
  {
    name: 'the right reference without the flag -> gets it, in its place',
    given: { claim: claim([plain(toSet()), foreignOwner]), workload: facts(deletes) },
    expected: { kind: 'setOwners', references: [{ ...plain(toSet()), controller: true }, foreignOwner] },
  },
  {
    name: "a user's plain reference to the set, Retain -> not ours",
    given: { claim: claim([plain(toSet())]) },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'reference to the set in another version of its group -> is the same set',
    given: { claim: claim([toSet({ apiVersion: 'apps/v1beta2' })]), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'controller of the same kind and name in another group -> foreign',
    given: { claim: claim([toSet({ apiVersion: 'apps.kruise.io/v1beta1' })]), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'ForeignController' },
  },
  {
    name: 'set being deleted -> none is added',
    given: { workload: facts({ ...deletes, deletion: 'underWay' }) },
    expected: { kind: 'none', reason: 'WorkloadTerminating' },
  },
  {
    name: 'set being deleted in the foreground -> its reference stays',
    given: { claim: claim([toSet()]), workload: facts({ ...deletes, deletion: 'underWay' }) },
    expected: { kind: 'none', reason: 'WorkloadTerminating' },
  },
  {
    name: 'set being deleted, turned to Retain -> ours goes',
    given: { claim: claim([toSet()]), workload: facts({ deletion: 'underWay' }) },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'set being deleted, scaled up again before, whenDeleted Retain -> the pod lets go of the claim',
    given: {
      claim: claim([toPod()]),
      workload: facts({ whenScaled: 'Delete', deletion: 'underWay' }),
    },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'set being deleted in the middle of a scale-down -> the claim goes with its pod',
    given: { claim: claim([toPod()]), workload: { ...scaledDown, deletion: 'underWay' } },
    expected: { kind: 'none', reason: 'WorkloadTerminating' },
  },
  {
    name: 'set being orphaned -> its reference goes',
    given: { claim: claim([toSet()]), workload: facts({ ...deletes, deletion: 'orphaning' }) },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: "set being orphaned in the middle of a scale-down -> the pod's reference goes too",
    given: { claim: claim([toPod(), foreignOwner]), workload: { ...scaledDown, deletion: 'orphaning' } },
    expected: { kind: 'setOwners', operation: 'remove', references: [foreignOwner] },
  },
  {
    name: 'set being orphaned, the pod is gone, its claim not yet -> rescued',
    given: { claim: claim([toPod()]), pod: undefined, workload: { ...scaledDown, deletion: 'orphaning' } },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'two sets make claims of the name -> none is added',
    given: { shared: true, workload: facts(deletes) },
    expected: { kind: 'none', reason: 'SharedName' },
  },
  {
    name: 'two sets make claims of the name, ours is wrong -> it goes',
    given: { shared: true, claim: claim([toPod()]), workload: facts(deletes) },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'two sets make claims of the name, gate CollectMissedScaleDown -> kept',
    given: {
      shared: true,
      pod: undefined,
      workload: { ...scaledDown, whenDeleted: 'Retain' },
      collectMissed: true,
    },
    expected: { kind: 'none', reason: 'ScaleDownMissed' },
  },
  {
    name: 'gate StatefulSetAutoDeletePVC off -> ours is taken back',
    given: { claim: claim([toSet(), foreignOwner]), enabled: false },
    expected: { kind: 'setOwners', operation: 'remove', references: [foreignOwner] },
  },
  {
    name: "gate StatefulSetAutoDeletePVC off -> the stock controller's is left",
    given: { claim: claim([stock(toSet())]), enabled: false },
    expected: { kind: 'none', reason: 'Settled' },
  },
];

describe('beside the table', () => {
  test.each(cases)('$name', ({ given, expected }) => {
    expect(decided(snapshot(given))).toMatchObject(expected);
  });
});

describe('live look', () => {
  const adding = snapshot({ workload: facts(deletes) });
  const condemning = snapshot({ claim: claim([toSet()]), workload: scaledDown });
  const swappingBack = snapshot({ claim: claim([toPod()]), workload: facts(deletes) });

  test.each([
    { name: "adding the set's reference", given: adding, about: 'workload' },
    { name: "adding the pod's reference", given: condemning, about: 'pod' },
    { name: 'swapping back', given: swappingBack, about: 'workload' },
    {
      name: 'deleting',
      given: snapshot({
        pod: undefined,
        workload: { ...scaledDown, whenDeleted: 'Retain' },
        collectMissed: true,
      }),
      about: 'users',
    },
  ])('$name -> asks about the $about first', ({ given, about }) => {
    expect(decide(given)).toEqual({ kind: 'askLive', about });
  });

  test.each([
    { name: 'no reference of ours', given: snapshot({ claim: claim([toSet()]) }) },
    {
      name: 'orphaned',
      given: snapshot({ claim: claim([toSet()]), workload: facts({ deletion: 'orphaning' }) }),
    },
  ])('removing ($name) -> needs no look', ({ given }) => {
    expect(decide(given)).toMatchObject({ kind: 'setOwners', operation: 'remove' });
  });

  test('the pod was not asked for -> asks', () => {
    expect(decide({ ...condemning, live: agreeing(condemning, { pod: 'notAsked' }) })).toEqual({
      kind: 'askLive',
      about: 'pod',
    });
  });

  test.each([
    { name: 'gone', workload: undefined },
    { name: 'another of its name', workload: facts({ ...deletes, uid: 'other' }) },
    { name: 'being deleted', workload: facts({ ...deletes, deletion: 'underWay' }) },
    { name: 'being orphaned', workload: facts({ ...deletes, deletion: 'orphaning' }) },
    { name: 'turned to Retain', workload: facts() },
    { name: 'scaled down', workload: scaledDown },
  ] as const)('set is $name -> its reference is not added, looked at again', ({ workload }) => {
    expect(decide({ ...adding, live: agreeing(adding, { workload }) }).kind).toBe('lookAgain');
  });

  test.each([
    { name: 'set gone', workload: undefined },
    { name: 'set another of its name', workload: { ...scaledDown, uid: 'other' } },
    { name: 'set being deleted', workload: { ...scaledDown, deletion: 'underWay' } },
    { name: 'scaled up again', workload: facts(deletes) },
    { name: 'turned to Retain', workload: facts({ wanted: false }) },
    { name: 'undo window opened', workload: { ...scaledDown, grace: 1000 } },
  ] as const)("$name -> the pod's reference is not added, looked at again", ({ workload }) => {
    expect(decide({ ...condemning, live: agreeing(condemning, { workload }) }).kind).toBe('lookAgain');
  });

  test('the pod is gone by now -> its UID serves', () => {
    expect(decide({ ...condemning, live: agreeing(condemning, { pod: 'gone' }) })).toMatchObject({
      kind: 'setOwners',
      operation: 'swap',
      references: [toPod()],
    });
  });

  test.each([
    { name: "another of the set's", pod: { uid: 'new', ofWorkload: true } },
    { name: 'a foreign one', pod: { uid: 'new', ofWorkload: false } },
    { name: 'the same, released by the set', pod: { ...ownPod, ofWorkload: false } },
  ])('a new pod has the name: $name -> looked at again', ({ pod }) => {
    expect(decide({ ...condemning, live: agreeing(condemning, { pod }) }).kind).toBe('lookAgain');
  });

  test('last known UID, a new pod has the name -> looked at again', () => {
    const given = snapshot({ pod: undefined, lastPodUid: 'last', workload: scaledDown });
    expect(decide({ ...given, live: agreeing(given, { pod: ownPod }) }).kind).toBe('lookAgain');
  });

  test.each([
    { name: 'gone', workload: undefined },
    { name: 'being deleted', workload: facts({ ...deletes, deletion: 'underWay' }) },
    { name: 'scaled down once more', workload: scaledDown },
  ] as const)(
    'scaled up again, set is $name -> the pod lets go of the claim all the same',
    ({ workload }) => {
      expect(decide({ ...swappingBack, live: agreeing(swappingBack, { workload }) })).toMatchObject({
        kind: 'setOwners',
        operation: 'remove',
        references: [],
      });
    },
  );
});

describe('undo window', () => {
  const window = { ...scaledDown, grace: 60_000 };
  const soon = new Date(noon + 60_000).toISOString();
  const past = new Date(noon - 1).toISOString();

  const windowCases: readonly Case[] = [
    {
      name: 'scaled down -> marked, the set stays the owner',
      given: { claim: claim([toSet()]), workload: window },
      expected: { kind: 'mark', deleteAfter: soon },
    },
    {
      name: 'scaled down, pod gone before us -> marked',
      given: { claim: claim([toSet()]), workload: window, pod: undefined, lastPodUid: 'last' },
      expected: { kind: 'mark', deleteAfter: soon },
    },
    {
      name: 'scaled down unseen -> kept',
      given: { claim: claim([toSet()]), workload: window, pod: undefined },
      expected: { kind: 'none', reason: 'ScaleDownMissed' },
    },
    {
      name: 'scaled down unseen, gate CollectMissedScaleDown -> marked',
      given: { claim: claim([toSet()]), workload: window, pod: undefined, collectMissed: true },
      expected: { kind: 'mark', deleteAfter: soon },
    },
    {
      name: 'a foreign pod has the name -> not marked',
      given: { claim: claim([toSet()]), workload: window, pod: { uid: 'x', ofWorkload: false } },
      expected: { kind: 'none', reason: 'InUse' },
    },
    {
      name: 'marked, not yet due -> waits',
      given: { claim: claim([toSet()], { mark: soon }), workload: window, pod: undefined },
      expected: { kind: 'wait', until: noon + 60_000 },
    },
    {
      name: 'due, pod still there -> kept',
      given: { claim: claim([toSet()], { mark: past }), workload: window },
      expected: { kind: 'none', reason: 'InUse' },
    },
    {
      name: 'due and unused -> deleted',
      given: { claim: claim([toSet()], { mark: past }), workload: window, pod: undefined },
      expected: { kind: 'deleteClaim', reason: 'GraceOver' },
    },
    {
      name: 'due, foreign owner -> kept',
      given: { claim: claim([toSet(), foreignOwner], { mark: past }), workload: window, pod: undefined },
      expected: { kind: 'none', reason: 'OtherOwners' },
    },
    {
      name: 'a mark that is no time -> written anew',
      given: { claim: claim([toSet()], { mark: 'tomorrow' }), workload: window },
      expected: { kind: 'mark', deleteAfter: soon },
    },
    {
      name: 'a mark that is no time, pod gone -> kept',
      given: { claim: claim([toSet()], { mark: 'tomorrow' }), workload: window, pod: undefined },
      expected: { kind: 'none', reason: 'ScaleDownMissed' },
    },
    {
      name: 'window opened after the pod became the owner -> marked instead',
      given: { claim: claim([toPod()]), workload: { ...window, whenDeleted: 'Retain' } },
      expected: { kind: 'setOwners', operation: 'remove', references: [] },
    },
    ...(
      [
        ['scaled up again', { ...window, wanted: true }],
        ['turned to Retain', { ...window, whenScaled: 'Retain' }],
        ['window closed, or gate DeletionGracePeriod off', scaledDown],
        ['set being deleted', { ...window, deletion: 'underWay' }],
        ['set being orphaned', { ...window, deletion: 'orphaning' }],
      ] as const
    ).map(([name, workload]) => ({
      name: `${name} -> mark cleared`,
      given: { claim: claim([toSet()], { mark: past }), workload },
      expected: { kind: 'unmark' },
    })),
  ];
  test.each(windowCases)('$name', ({ given, expected }) => {
    expect(decided(snapshot(given))).toMatchObject(expected);
  });

  test('due, but a pod seen only live names the claim -> looked at again later', () => {
    const given = snapshot({ claim: claim([toSet()], { mark: past }), workload: window, pod: undefined });
    expect(decide({ ...given, live: agreeing(given, { inUse: true }) })).toEqual({
      kind: 'postpone',
      reason: 'InUse',
    });
    expect(decide({ ...given, live: agreeing(given, { inUse: 'notAsked' }) }).kind).toBe('askLive');
  });

  test('due, but scaled up again by now -> looked at again', () => {
    const given = snapshot({ claim: claim([], { mark: past }), workload: window, pod: undefined });
    const live = agreeing(given, { workload: { ...window, wanted: true } });
    expect(decide({ ...given, live }).kind).toBe('lookAgain');
    expect(deleteAfter).toBe('holdfast.dev/delete-after');
  });
});
