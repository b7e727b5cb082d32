import { expect, test } from '@jest/globals';
import type { OwnerReference } from '@holdfast/core';
import { decide } from '../src/decide/decide.ts';
import { isWrittenByStock } from '../src/decide/give-way.ts';
import { withoutAdding } from '../src/decide/removal.ts';
import { claim, facts, foreignOwner, plain, snapshot, toPod, toSet } from './snapshots.ts';

/*
 * The API server accepts a claim with tens of thousands of owner references. Comparing each with each would occupy
 * the process for longer than its lease lasts.
 */

const many = 1_000;

/** Owners that count how often their UIDs are read. */
function countedOwners(uidOf: (index: number) => string): {
  readonly owners: readonly OwnerReference[];
  readonly reads: () => number;
} {
  let reads = 0;
  const owners = Array.from({ length: many }, (_, index) => ({
    ...foreignOwner,
    get uid() {
      reads += 1;
      return uidOf(index);
    },
  }));
  return { owners, reads: () => reads };
}

const different = (index: number): string => `uid-of-owner-${String(index)}`;
const both = facts({ whenDeleted: 'Delete', whenScaled: 'Delete' });

test.each([
  { name: 'reference to the set missing', own: [] },
  { name: 'scaled up again, with a reference to the pod', own: [toPod()] },
])('a thousand owners, $name -> each is read a few times', ({ own }) => {
  const { owners, reads } = countedOwners(different);
  const given = snapshot({ workload: both, claim: claim([...owners, ...own]), stock: 'unknown' });
  expect(['leave', 'askLive']).toContain(decide(given).kind);
  expect(reads()).toBeLessThan(50 * many);
});

test('a thousand owners, only the pod may be removed -> each is read a few times', () => {
  const { owners, reads } = countedOwners(different);
  const swap = {
    kind: 'setOwners',
    operation: 'swap',
    claim: claim([...owners, toPod()]),
    references: [...owners, toSet()],
    owner: toSet(),
    reason: 'DeletedWithWorkload',
  } as const;
  expect(withoutAdding(swap)?.references).toHaveLength(many);
  expect(reads()).toBeLessThan(50 * many);
});

test('a thousand references to the set, and a thousand other owners before -> each is read a few times', () => {
  const before = countedOwners(different);
  const after = countedOwners(() => 'uid-of-web');
  const given = snapshot({ workload: both, claim: claim(after.owners) });
  expect(isWrittenByStock([...before.owners, plain(toSet())], given)).toBe(false);
  expect(before.reads() + after.reads()).toBeLessThan(50 * many);
});
