import { describe, expect, test } from '@jest/globals';
import type { OwnerReference } from '@holdfast/core';
import { decide } from '../../src/decide/decide.ts';
import { isWrittenByStock, wasLeftUndone } from '../../src/decide/give-way.ts';
import type { Snapshot } from '../../src/decide/snapshot.ts';
import {
  claim,
  facts,
  foreignOwner,
  hold,
  noon,
  plain,
  snapshot,
  stock,
  toPod,
  toSet,
} from '../snapshots.ts';
import { decided } from './decided.ts';

const deletes = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const;
const both = facts(deletes);
const scaledDown = facts({ ...deletes, wanted: false });

interface Case {
  readonly name: string;
  readonly given: Partial<Snapshot>;
  readonly expected: Record<string, unknown>;
}

const cases: readonly Case[] = [
  {
    name: 'reference to the set missing -> left to it',
    given: { workload: both },
    expected: { kind: 'leave', wanted: 'uid-of-web' },
  },
  {
    name: 'scaled down -> left to it',
    given: { workload: scaledDown, claim: claim([stock(toSet())]) },
    expected: { kind: 'leave', wanted: 'uid-of-web-1' },
  },
  {
    name: 'scaled down, ours is there from before -> left to it',
    given: { workload: scaledDown, claim: claim([toSet()]) },
    expected: { kind: 'leave', wanted: 'uid-of-web-1' },
  },
  {
    name: 'policy turned to Retain -> left to it',
    given: { claim: claim([stock(toSet())]) },
    expected: { kind: 'leave', wanted: 'none' },
  },
  {
    name: 'policy turned to Retain, ours is there from before -> taken back at once',
    given: { claim: claim([toSet()]) },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: "scaled up again, the pod's reference is ours -> swapped back at once",
    given: { workload: both, claim: claim([toPod()]) },
    expected: { kind: 'setOwners', operation: 'swap', references: [toSet(), hold] },
  },
  {
    name: "scaled up again, the pod's reference is the other's -> left to it",
    given: { workload: both, claim: claim([stock(toPod())]) },
    expected: { kind: 'leave', wanted: 'uid-of-web' },
  },
  {
    name: "set being orphaned, its reference is the other's -> rescued at once",
    given: { workload: { ...both, deletion: 'orphaning' }, claim: claim([stock(toSet())]) },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'set being orphaned, its reference is ours -> rescued at once',
    given: { workload: { ...both, deletion: 'orphaning' }, claim: claim([toSet()]) },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'set being orphaned in the middle of a scale-down -> rescued at once',
    given: { workload: { ...scaledDown, deletion: 'orphaning' }, claim: claim([stock(toPod())]) },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: "set being orphaned, the claim is held beside the other's reference -> rescued at once",
    given: { workload: { ...both, deletion: 'orphaning' }, claim: claim([stock(toSet()), hold]) },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: "scaled up again, the set's reference is there without the flag -> left to it until the pod's is gone",
    given: { workload: both, claim: claim([plain(toSet()), stock(toPod())]) },
    expected: { kind: 'leave', wanted: 'uid-of-web' },
  },
  {
    name: 'reference missing, the claim has another owner -> left to it',
    given: { workload: both, claim: claim([foreignOwner]) },
    expected: { kind: 'leave', wanted: 'uid-of-web' },
  },
  {
    name: 'set being deleted, turned to Retain a moment before -> taken away at once',
    given: { workload: facts({ deletion: 'underWay' }), claim: claim([stock(toSet())]) },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'the API server drops the field -> done at once',
    given: { workload: { ...both, field: undefined } },
    expected: { kind: 'setOwners', operation: 'add', references: [toSet(), hold] },
  },
  {
    name: 'both references differ in blockOwnerDeletion alone -> nothing',
    given: { workload: both, claim: claim([stock(toSet())]) },
    expected: { kind: 'none', reason: 'Settled' },
  },
];

describe('beside a stock controller', () => {
  for (const known of ['unknown', 'atWork'] as const) {
    test.each(cases)(`S8: ${known}: $name`, ({ given, expected }) => {
      expect(decided(snapshot({ ...given, stock: known }))).toMatchObject(expected);
    });

    test(`S8: ${known}: it has had its time -> mended`, () => {
      const first = decide(snapshot({ workload: both, stock: known }));
      const delay = first.kind === 'leave' ? first.delay : NaN;
      const later = (wanted: string, time: number) =>
        decided(snapshot({ workload: both, stock: known, left: { wanted, for: time } }));
      expect(later('uid-of-web', delay - 1)).toMatchObject({ kind: 'leave', delay: 1 });
      expect(later('uid-of-web', delay)).toMatchObject({
        kind: 'setOwners',
        references: [toSet(), hold],
      });
      // The policy has changed since: it is the stock controller's turn again.
      expect(later('none', delay)).toMatchObject({ kind: 'leave', delay });
    });
  }

  test('S8: at work, it writes plain references as up to 1.30 -> nothing', () => {
    const given = { workload: both, claim: claim([plain(toSet())]), stock: 'atWork' } as const;
    expect(decided(snapshot(given))).toMatchObject({ kind: 'none', reason: 'Settled' });
  });

  test('S8: unknown, plain references -> left to it, since who writes the flag is not known', () => {
    const given = { workload: both, claim: claim([plain(toSet())]), stock: 'unknown' } as const;
    expect(decided(snapshot(given))).toMatchObject({ kind: 'leave', wanted: 'uid-of-web' });
  });

  test.each([
    { name: 'wanted ordinal without a pod', given: { workload: both, pod: undefined } },
    { name: 'condemned ordinal, its pod is there', given: { workload: scaledDown } },
  ])('S8: $name -> left for as long as any other', ({ given }) => {
    const delay = { unknown: 20_000, atWork: 300_000 };
    for (const known of ['unknown', 'atWork'] as const) {
      expect(decided(snapshot({ ...given, stock: known }))).toMatchObject({
        kind: 'leave',
        delay: delay[known],
      });
    }
  });

  test('S8: scaled down, and the pod was gone before either wrote -> left for two seconds, whatever is known', () => {
    for (const known of ['unknown', 'atWork'] as const) {
      const given = snapshot({ workload: scaledDown, pod: undefined, lastPodUid: 'last', stock: known });
      expect(decide(given)).toMatchObject({ kind: 'leave', wanted: 'last', delay: 2_000 });
      expect(decided({ ...given, left: { wanted: 'last', for: 2_000 } })).toMatchObject({
        kind: 'setOwners',
      });
    }
  });

  test('S8: at work, more patience than while it is unknown', () => {
    const delay = (known: Snapshot['stock']): number => {
      const decision = decide(snapshot({ workload: both, stock: known }));
      return decision.kind === 'leave' ? decision.delay : 0;
    };
    expect(delay('atWork')).toBeGreaterThan(delay('unknown'));
    expect(delay('unknown')).toBeGreaterThan(0);
    expect(delay('absent')).toBe(0);
  });
});

describe('undo window, and the field says Delete', () => {
  const window = { ...scaledDown, grace: 60_000 };
  const due = new Date(noon - 1).toISOString();

  test('S2: the stock controller is at work -> nothing is marked, nothing is written', () => {
    for (const owners of [[], [stock(toSet())], [stock(toPod())]]) {
      const given = snapshot({ stock: 'atWork', workload: window, claim: claim(owners) });
      expect(decided({ ...given, left: { wanted: 'uid-of-web', for: 1e9 } })).toMatchObject({
        kind: 'none',
        reason: 'WindowNotHeld',
      });
    }
  });

  test('S2: the stock controller is at work, marked before it was -> deleted when due', () => {
    const given = snapshot({
      stock: 'atWork',
      workload: { ...window, whenDeleted: 'Retain' },
      claim: claim([], { mark: due }),
      pod: undefined,
    });
    expect(decided(given)).toMatchObject({ kind: 'deleteClaim' });
  });

  test('S2: the stock controller is absent -> marked; unknown -> marked when it has had its time', () => {
    const given = snapshot({ workload: window, claim: claim([stock(toSet())]) });
    expect(decided(given)).toMatchObject({ kind: 'mark' });
    expect(decided({ ...given, stock: 'unknown' })).toMatchObject({ kind: 'leave', wanted: 'mark' });
    const left = { wanted: 'mark', for: 20_000 };
    expect(decided({ ...given, stock: 'unknown', left })).toMatchObject({ kind: 'mark' });
  });

  test('S2: the field asks for a scale-down alone, the window is for deletions -> tied beside a stock controller', () => {
    const field = { whenDeleted: 'Retain', whenScaled: 'Delete' } as const;
    const workload = facts({ whenDeleted: 'Delete', whenScaled: 'Delete', deletionGrace: 60_000, field });
    expect(decided(snapshot({ stock: 'atWork', workload }))).toMatchObject({ kind: 'tie' });
  });

  test('S2: the annotations say Delete, the field Retain -> marked, without a reference, whatever is known', () => {
    const field = { whenDeleted: 'Retain', whenScaled: 'Retain' } as const;
    const workload = { ...window, whenDeleted: 'Retain', field } as const;
    for (const known of ['absent', 'unknown', 'atWork'] as const) {
      expect(decided(snapshot({ stock: known, workload }))).toMatchObject({ kind: 'mark' });
    }
  });
});

describe('what shows a stock controller', () => {
  const learns = (given: Partial<Snapshot>, before: readonly OwnerReference[] = []): boolean =>
    isWrittenByStock(before, snapshot(given));
  test.each([
    { name: 'its reference to the set', given: { workload: both, claim: claim([stock(toSet())]) }, is: true },
    { name: 'a plain one', given: { workload: both, claim: claim([plain(toSet())]) }, is: true },
    {
      name: 'its reference to the pod that is scaled down',
      given: { workload: scaledDown, claim: claim([stock(toPod())]) },
      is: true,
    },
    { name: 'ours', given: { workload: both, claim: claim([toSet()]) }, is: false },
    { name: 'one against the policy', given: { claim: claim([stock(toSet())]) }, is: false },
    {
      name: 'one where the API server drops the field',
      given: { workload: { ...both, field: undefined }, claim: claim([stock(toSet())]) },
      is: false,
    },
    {
      name: 'its reference beside that of another owner',
      given: { workload: both, claim: claim([foreignOwner, stock(toSet())]) },
      is: true,
    },
    { name: 'that of another owner', given: { workload: both, claim: claim([foreignOwner]) }, is: false },
    {
      name: 'that of another owner of a claim that is scaled down',
      given: { workload: scaledDown, claim: claim([foreignOwner]) },
      is: false,
    },
    {
      name: 'one to a pod that is wanted',
      given: { workload: both, claim: claim([stock(toPod())]) },
      is: false,
    },
    {
      name: 'one to a pod that is scaled down, and whenScaled is Retain',
      given: { workload: facts({ wanted: false }), claim: claim([stock(toPod())]) },
      is: false,
    },
  ])('S8: $name -> $is', ({ given, is }) => {
    expect(learns(given)).toBe(is);
  });

  test('S8: a reference that was there before -> false', () => {
    expect(learns({ workload: both, claim: claim([stock(toSet())]) }, [toSet()])).toBe(false);
    expect(learns({ workload: both, claim: claim([stock(toSet())]) }, [foreignOwner])).toBe(true);
  });

  test('S8: left undone, the claim has a pod of the set -> true; without the pod, being deleted, or not left -> false', () => {
    const left = { wanted: 'uid-of-web', for: 20_000 };
    expect(wasLeftUndone(snapshot({ workload: both, left }))).toBe(true);
    expect(wasLeftUndone(snapshot({ workload: both, left, pod: undefined }))).toBe(false);
    expect(wasLeftUndone(snapshot({ workload: { ...both, deletion: 'underWay' }, left }))).toBe(false);
    expect(wasLeftUndone(snapshot({ workload: both }))).toBe(false);
  });
});
