import { describe, expect, test } from '@jest/globals';
import type { OwnerReference } from '@holdfast/core';
import { decide } from '../../src/decide/decide.ts';
import type { Retention, Snapshot } from '../../src/decide/snapshot.ts';
import { decided } from './decided.ts';
import {
  agreeing,
  claim,
  facts,
  foreignController,
  foreignOwner,
  hold,
  ownPod,
  plain,
  snapshot,
  stock,
  toPod,
  toSet,
} from '../snapshots.ts';

/** What the claim's owners are after the decision, and after the reference that it added is confirmed. */
function ownersAfter(given: Snapshot): readonly OwnerReference[] {
  const decision = decided(given);
  if (decision.kind !== 'setOwners') {
    return given.claim?.metadata.ownerReferences ?? [];
  }
  const confirmed = decided({ ...given, claim: claim(decision.references) });
  return confirmed.kind === 'setOwners' && confirmed.operation === 'confirm'
    ? confirmed.references
    : decision.references;
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

/** Than the set, which was made at noon. */
const younger = { metadata: { ...claim().metadata, creationTimestamp: '2026-01-01T12:00:01Z' } };

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
    expected: { kind: 'setOwners', operation: 'swap', references: [toSet(), hold] },
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
    name: 'scaled down, pod gone before us, foreign owner -> kept, since the pod could not take it along',
    given: {
      claim: claim([foreignOwner]),
      pod: undefined,
      lastPodUid: 'last',
      workload: { ...scaledDown, whenDeleted: 'Retain' },
    },
    expected: { kind: 'none', reason: 'OtherOwners' },
  },
  {
    name: "scaled down, pod gone before us, foreign owner, the set's claim -> stays the set's",
    given: {
      claim: claim([foreignOwner, toSet()]),
      pod: undefined,
      lastPodUid: 'last',
      workload: scaledDown,
    },
    expected: { kind: 'none', reason: 'OtherOwners' },
  },
  {
    name: "scaled down, pod gone before us, a user's plain reference to the set -> kept as well",
    given: {
      claim: claim([plain(toSet())]),
      pod: undefined,
      lastPodUid: 'last',
      workload: { ...scaledDown, whenDeleted: 'Retain' },
    },
    expected: { kind: 'none', reason: 'OtherOwners' },
  },
  {
    name: 'scaled down, pod gone before us, no owner but the hold -> the pod owns it',
    given: {
      claim: claim([hold]),
      pod: undefined,
      lastPodUid: 'last',
      workload: { ...scaledDown, whenDeleted: 'Retain' },
    },
    expected: { kind: 'setOwners', operation: 'add', references: [toPod({ uid: 'last' })] },
  },
  {
    name: 'scaled down, its pod owns it -> nothing to do',
    given: { claim: claim([toPod()]), workload: { ...scaledDown, whenDeleted: 'Retain' } },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'scaled down, the pod that owns it gone -> goes with the pod',
    given: {
      claim: claim([toPod({ uid: 'last' })]),
      pod: undefined,
      lastPodUid: 'last',
      workload: { ...scaledDown, whenDeleted: 'Retain' },
    },
    expected: { kind: 'none', reason: 'PodGone' },
  },
  {
    name: 'scaled down unseen, foreign owner -> kept, since its pod is unknown',
    given: {
      claim: claim([foreignOwner]),
      pod: undefined,
      workload: { ...scaledDown, whenDeleted: 'Retain' },
    },
    expected: { kind: 'none', reason: 'ScaleDownMissed' },
  },
  {
    name: 'wanted, pod gone, foreign owner -> nothing to say',
    given: { claim: claim([foreignOwner]), pod: undefined, lastPodUid: 'last', workload: facts() },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'scaled down under Retain, pod gone, foreign owner -> nothing to say',
    given: {
      claim: claim([foreignOwner]),
      pod: undefined,
      lastPodUid: 'last',
      workload: facts({ wanted: false }),
    },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'scaled down under a window, pod gone, foreign owner -> marked',
    given: {
      claim: claim([foreignOwner]),
      pod: undefined,
      lastPodUid: 'last',
      workload: { ...scaledDown, whenDeleted: 'Retain', grace: 1_000 },
    },
    expected: { kind: 'mark' },
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
    name: "condemned, a pod that is not the set's has the name -> neither becomes owner",
    given: { pod: { uid: 'foreign', ofWorkload: false }, workload: scaledDown },
    expected: { kind: 'none', reason: 'Settled' },
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
    name: 'a plain reference with the UID of the set to a kind that is none -> not made the controller',
    given: { claim: claim([plain(toSet({ kind: 'statefulset' }))]), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'OtherOwners' },
  },
  {
    name: 'the same to the kind of another group',
    given: { claim: claim([plain(toSet({ apiVersion: 'v1' }))]), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'OtherOwners' },
  },
  {
    name: 'the same to another name',
    given: { claim: claim([plain(toSet({ name: 'db' }))]), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'OtherOwners' },
  },
  {
    name: 'the same, and ours to the pod of a scale-down that was undone -> ours is removed',
    given: {
      claim: claim([plain(toSet({ kind: 'statefulset' })), toPod()]),
      workload: facts(deletes),
      pod: ownPod,
    },
    expected: {
      kind: 'setOwners',
      operation: 'remove',
      references: [plain(toSet({ kind: 'statefulset' }))],
      reason: 'NoLongerSo',
    },
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
    name: 'another controller, the policy is for scale-downs alone -> said so',
    given: { claim: claim([foreignController]), workload: facts({ whenScaled: 'Delete' }) },
    expected: { kind: 'none', reason: 'ForeignController' },
  },
  {
    name: 'added reference to the set -> says that the claim goes with it',
    given: { workload: facts(deletes) },
    expected: { operation: 'add', references: [toSet(), hold], reason: 'DeletedWithWorkload' },
  },
  {
    name: 'added reference to the pod -> says that it is scaled down',
    given: { workload: scaledDown },
    expected: { operation: 'add', references: [toPod()], reason: 'ScaledDown' },
  },
  {
    name: 'turned to Retain, wanted -> ours goes for the policy',
    given: { claim: claim([toSet()]) },
    expected: { operation: 'remove', references: [], reason: 'PolicyRetains' },
  },
  {
    name: 'turned to Retain for deletions, condemned, its pod not seen -> ours goes for the policy',
    given: { claim: claim([toSet()]), pod: undefined, workload: { ...scaledDown, whenDeleted: 'Retain' } },
    expected: { operation: 'remove', references: [], reason: 'PolicyRetains' },
  },
  {
    name: 'scaled up again, whenDeleted Retain -> ours goes for the ordinal',
    given: { claim: claim([toPod()]), workload: facts({ whenScaled: 'Delete' }) },
    expected: { operation: 'remove', references: [], reason: 'OrdinalWanted' },
  },
  {
    name: 'set being orphaned, nothing of ours -> nothing',
    given: { claim: claim([foreignOwner]), workload: facts({ ...deletes, deletion: 'orphaning' }) },
    expected: { kind: 'none', reason: 'WorkloadTerminating' },
  },
  {
    name: "set being deleted, two sets make claims of the name, the stock controller's is there -> it stays",
    given: {
      shared: true,
      claim: claim([stock(toSet())]),
      workload: facts({ ...deletes, deletion: 'underWay' }),
    },
    expected: { kind: 'none', reason: 'WorkloadTerminating' },
  },
  {
    name: 'set being deleted, nobody controls the pod, the claim refers to the set -> stays',
    given: {
      claim: claim([toSet()]),
      pod: { uid: 'uid-of-web-1', ofWorkload: false },
      workload: { ...scaledDown, deletion: 'underWay' },
    },
    expected: { kind: 'none', reason: 'WorkloadTerminating' },
  },
  {
    name: 'set being deleted in the middle of a scale-down, whenDeleted Retain -> the claim goes with its pod',
    given: {
      claim: claim([toPod()]),
      workload: { ...scaledDown, whenDeleted: 'Retain', deletion: 'underWay' },
    },
    expected: { kind: 'none', reason: 'WorkloadTerminating' },
  },
  {
    name: 'the same, but the claim refers to the set -> ours goes for the policy',
    given: {
      claim: claim([toSet()]),
      workload: { ...scaledDown, whenDeleted: 'Retain', deletion: 'underWay' },
    },
    expected: { kind: 'setOwners', operation: 'remove', references: [], reason: 'PolicyRetains' },
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
    name: 'the same, but nobody controls the pod, so that the set was orphaned before -> the claim survives its pod',
    given: {
      claim: claim([toPod(), foreignOwner]),
      pod: { uid: 'uid-of-web-1', ofWorkload: false },
      workload: { ...scaledDown, deletion: 'underWay' },
    },
    expected: {
      kind: 'setOwners',
      operation: 'remove',
      references: [foreignOwner],
      reason: 'PodOrphaned',
    },
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
    name: 'two sets make claims of the name, the second one since ours was added -> it goes',
    given: { shared: true, claim: claim([toSet(), foreignOwner]), workload: facts(deletes) },
    expected: { kind: 'setOwners', operation: 'remove', references: [foreignOwner], reason: 'SharedName' },
  },
  {
    name: 'two sets make claims of the name, the one that ours refers to is being deleted -> it goes, the other might use the claim',
    given: {
      shared: true,
      claim: claim([toSet(), foreignOwner]),
      workload: facts({ ...deletes, deletion: 'underWay' }),
    },
    expected: { kind: 'setOwners', operation: 'remove', references: [foreignOwner], reason: 'SharedName' },
  },
  {
    name: "two sets make claims of the name, the same in a scale-down -> the pod's goes",
    given: { shared: true, claim: claim([toPod()]), workload: scaledDown },
    expected: { kind: 'setOwners', operation: 'remove', references: [], reason: 'SharedName' },
  },
  {
    name: "two sets make claims of the name, the stock controller's is there -> it stays",
    given: { shared: true, claim: claim([stock(toSet())]), workload: facts(deletes) },
    expected: { kind: 'none', reason: 'Settled' },
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
    name: "the same, and the claim is younger than the set -> kept, since it might be the other one's",
    given: {
      shared: true,
      claim: younger,
      pod: undefined,
      workload: { ...scaledDown, whenDeleted: 'Retain' },
      collectMissed: true,
    },
    expected: { kind: 'none', reason: 'ScaleDownMissed' },
  },
  {
    name: 'the same, and no other set makes claims of the name -> deleted',
    given: {
      claim: younger,
      pod: undefined,
      workload: { ...scaledDown, whenDeleted: 'Retain' },
      collectMissed: true,
    },
    expected: { kind: 'deleteClaim', reason: 'ScaleDownMissed' },
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

  test('scaled down unseen, gate CollectMissedScaleDown, a pod of another workload uses it -> looked at again late', () => {
    const given = snapshot({
      claim: claim([toSet()]),
      pod: undefined,
      workload: scaledDown,
      collectMissed: true,
    });
    expect(decide({ ...given, live: agreeing(given, { inUse: true }) })).toEqual({
      kind: 'postpone',
      reason: 'InUse',
      overdue: Infinity,
    });
  });
});
