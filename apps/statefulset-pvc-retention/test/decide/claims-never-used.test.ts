import { describe, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/decide/snapshot.ts';
import { claim, facts, foreignOwner, hold, plain, snapshot, toPod, toSet } from '../snapshots.ts';
import { decided } from './decided.ts';

const onDeletion = facts({ whenDeleted: 'Delete', wanted: false });
const both = facts({ whenDeleted: 'Delete', whenScaled: 'Delete', wanted: false });
const foreignPod = { uid: 'foreign', ofWorkload: false };

interface Case {
  readonly name: string;
  readonly given: Partial<Snapshot>;
  readonly expected: Record<string, unknown>;
}

const cases: readonly Case[] = [
  {
    name: 'no owner, set made over older claims -> never owned by the set',
    given: { workload: onDeletion, pod: undefined },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'no owner, turned to Delete after a scale-down -> never owned by the set',
    given: { workload: both, pod: undefined },
    expected: { kind: 'none', reason: 'ScaleDownMissed' },
  },
  {
    name: 'undo window, no owner -> neither owned nor marked',
    given: { workload: { ...both, grace: 60_000 }, pod: undefined },
    expected: { kind: 'none', reason: 'ScaleDownMissed' },
  },
  {
    name: "a pod that is not the set's has the name -> never owned by the set",
    given: { workload: onDeletion, pod: foreignPod },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: "a user's plain reference to the set -> does not become ours",
    given: { claim: claim([plain(toSet())]), workload: onDeletion, pod: undefined },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'the set owns it already -> stays as the policy says',
    given: { claim: claim([toSet()]), workload: onDeletion, pod: undefined },
    expected: { kind: 'none', reason: 'Settled' },
  },
  {
    name: 'the set owns it already, turned to Retain -> let go',
    given: { claim: claim([foreignOwner, toSet()]), workload: facts({ wanted: false }), pod: undefined },
    expected: { kind: 'setOwners', operation: 'remove', references: [foreignOwner] },
  },
  {
    name: 'a pod that is gone owns it, whenScaled turned to Retain -> let go, not given to the set',
    given: { claim: claim([toPod()]), workload: onDeletion, pod: undefined },
    expected: { kind: 'setOwners', operation: 'remove', references: [] },
  },
  {
    name: 'its pod is still there -> owned by the set',
    given: { workload: onDeletion },
    expected: { kind: 'setOwners', operation: 'add', references: [toSet(), hold] },
  },
];

describe('claim of a condemned ordinal whose pod nobody saw', () => {
  test.each(cases)('S1: $name', ({ given, expected }) => {
    expect(decided(snapshot(given))).toMatchObject(expected);
  });
});
