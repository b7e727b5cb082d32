import { describe, expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import type { Snapshot, WorkloadFacts } from '../../src/decide/snapshot.ts';
import { claim, facts, foreignOwner, noon, plain, snapshot, toSet } from '../snapshots.ts';
import { decided } from './decided.ts';

const scaledDown = facts({ whenDeleted: 'Delete', whenScaled: 'Delete', wanted: false, createdAt: noon });
const second = 1_000;

/** The builder's claims have no time of creation. */
function createdAt(time: number, of = claim()): PersistentVolumeClaim {
  return { ...of, metadata: { ...of.metadata, creationTimestamp: new Date(time).toISOString() } };
}

interface Case {
  readonly name: string;
  readonly claim: PersistentVolumeClaim;
  readonly workload?: Partial<WorkloadFacts>;
  readonly isCollected: boolean;
}

const cases: readonly Case[] = [
  { name: 'older than the set', claim: createdAt(noon - second), isCollected: false },
  { name: 'as old as the set, to the second', claim: createdAt(noon), isCollected: false },
  { name: 'younger than the set', claim: createdAt(noon + second), isCollected: true },
  { name: 'without a time of creation', claim: claim(), isCollected: false },
  {
    name: 'set whose time of creation can not be read',
    claim: createdAt(noon + second),
    workload: { createdAt: NaN },
    isCollected: false,
  },
  {
    name: 'set without a time of creation',
    claim: createdAt(noon + second),
    workload: { createdAt: undefined },
    isCollected: false,
  },
  {
    name: 'older than the set, which owns it',
    claim: createdAt(noon - second, claim([toSet()])),
    isCollected: true,
  },
  {
    name: "older than the set, with a user's plain reference to it",
    claim: createdAt(noon - second, claim([plain(toSet())])),
    isCollected: false,
  },
  {
    name: 'younger than the set, with another owner',
    claim: createdAt(noon + second, claim([foreignOwner])),
    isCollected: false,
  },
];

function given(each: Case, more: Partial<WorkloadFacts> = {}): Snapshot {
  const workload = { ...scaledDown, ...each.workload, ...more };
  return snapshot({ claim: each.claim, workload, pod: undefined, collectMissed: true });
}

describe('gate CollectMissedScaleDown, claim of a condemned ordinal whose pod nobody saw', () => {
  test.each(cases)('S7: $name -> collected: $isCollected', (each) => {
    expect(decided(given(each)).kind).toBe(each.isCollected ? 'deleteClaim' : 'none');
  });

  // Another owner is judged at the end of the window.
  test.each(cases.filter(({ name }) => !name.endsWith('another owner')))(
    'S7: undo window, $name -> marked: $isCollected',
    (each) => {
      expect(decided(given(each, { grace: 60_000 })).kind).toBe(each.isCollected ? 'mark' : 'none');
    },
  );
});
