import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StockController } from '../src/decide/snapshot.ts';
import { createWorld, ordinals, wantedByTable, type Step, type World } from './small-world.ts';
import type { Policy } from './stage.ts';

const retention = fc.constantFrom('Retain', 'Delete');
const policy: fc.Arbitrary<Policy> = fc.record({ whenDeleted: retention, whenScaled: retention });
/** What is known of a stock controller that might carry the policies out. */
const stock = fc.constantFrom<StockController[]>('absent', 'unknown', 'atWork');
const ordinal = fc.constantFrom(...ordinals);
const replicas = fc.integer({ min: 0, max: 3 });

const users: readonly fc.Arbitrary<Step>[] = [
  fc.record({ kind: fc.constant('scale'), replicas }),
  fc.record({ kind: fc.constant('policy'), policy }),
  fc.record({
    kind: fc.constant('deleteSet'),
    cascade: fc.constantFrom('Background', 'Foreground', 'Orphan'),
  }),
  fc.record({ kind: fc.constant('createSet'), replicas, policy }),
  fc.record({ kind: fc.constant('deletePod'), ordinal, force: fc.boolean() }),
  fc.record({ kind: fc.constant('foreign'), ordinal, what: fc.constantFrom('controller', 'owner', 'none') }),
];
const cluster: readonly fc.Arbitrary<Step>[] = [
  fc.constant({ kind: 'setController' }),
  fc.record({ kind: fc.constant('kubelet'), ordinal }),
  fc.constant({ kind: 'garbageCollector' }),
];
const ours: readonly fc.Arbitrary<Step>[] = [
  fc.record({ kind: fc.constant('deliver'), what: fc.constantFrom('set', 'pods', 'claims') }),
  fc.record({ kind: fc.constant('look'), ordinal }),
  fc.record({ kind: fc.constant('act'), ordinal }),
];
const stepsOf = (theirs: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.oneof(...theirs) },
      { weight: 5, arbitrary: fc.oneof(...cluster) },
      { weight: 8, arbitrary: fc.oneof(...ours) },
      { weight: 1, arbitrary: fc.constant<Step>({ kind: 'time' }) },
      { weight: 1, arbitrary: fc.constant<Step>({ kind: 'crash' }) },
    ),
    { maxLength: 120, size: 'max' },
  );
const steps = stepsOf(users);
/** References that look like ours, and that the policies do not account for. */
const withPlainReferences = stepsOf([
  ...users,
  fc.record({ kind: fc.constant('plain'), ordinal, to: fc.constantFrom('set', 'pod') }),
]);
/** How a run begins: any way, or with pods that ended before the policy became Delete and are still in our cache. */
const beginning = fc.constantFrom<readonly Step[]>(
  [],
  [
    { kind: 'scale', replicas: 1 },
    { kind: 'setController' },
    { kind: 'kubelet', ordinal: 1 },
    { kind: 'kubelet', ordinal: 2 },
    { kind: 'policy', policy: { whenDeleted: 'Retain', whenScaled: 'Delete' } },
    { kind: 'deliver', what: 'set' },
  ],
);
/** How a run begins whose claim is scaled down, and perhaps kept by what a user has put on it. */
const scaledDown = fc
  .constantFrom<readonly Step[]>(
    [],
    [{ kind: 'foreign', ordinal: 1, what: 'owner' }],
    [{ kind: 'plain', ordinal: 1, to: 'set' }],
    [{ kind: 'plain', ordinal: 1, to: 'pod' }],
  )
  .map((kept): readonly Step[] => [
    ...kept,
    { kind: 'deliver', what: 'claims' },
    { kind: 'scale', replicas: 1 },
    { kind: 'setController' },
    { kind: 'kubelet', ordinal: 1 },
    { kind: 'deliver', what: 'set' },
    { kind: 'deliver', what: 'pods' },
  ]);
const start: readonly Step[] = [{ kind: 'setController' }, { kind: 'crash' }];

/** Without `expect`, which costs more than a run of the small world does. */
function notViolated({ violations }: World): void {
  if (violations.length > 0) {
    throw new Error(violations.join('; '));
  }
}

describe('any interleaving of users, cluster, lagging caches and crashes', () => {
  test('no claim goes against its policies, nor an orphaned one, nor has two controllers', () => {
    fc.assert(
      fc.property(stock, policy, replicas, beginning, steps, (known, first, count, begun, run) => {
        const world = createWorld(known);
        world.step({ kind: 'createSet', replicas: count, policy: first });
        for (const step of [...start, ...begun, ...run]) {
          world.step(step);
        }
        notViolated(world);
      }),
      { numRuns: 5_000 },
    );
  });

  test('in the end the references equal the table, and nothing more is written', () => {
    fc.assert(
      fc.property(stock, policy, replicas, steps, (known, first, count, run) => {
        const world = createWorld(known);
        world.step({ kind: 'createSet', replicas: count, policy: first });
        for (const step of [...start, ...run]) {
          world.step(step);
        }
        world.settle();
        const writes = world.settle();
        const seen: unknown[] = [];
        const expected: unknown[] = [];
        for (const [each, claim] of world.truth.claims) {
          const owners = claim.metadata.ownerReferences ?? [];
          const own = owners.filter(({ kind }) =>
            ['StatefulSet', 'Pod', 'PersistentVolumeClaim'].includes(kind),
          );
          const wanted = wantedByTable(world.truth, each);
          const alive = new Set([world.truth.set?.uid, world.truth.pods.get(each)?.uid]);
          const isStale = own.some(({ uid }) => !alive.has(uid));
          const hasForeignController = owners.some(({ uid }) => uid === 'uid-of-database');
          if (wanted === 'either' || isStale) {
            continue;
          }
          seen.push(own);
          expected.push(wanted === undefined || hasForeignController ? [] : [wanted]);
        }
        expect({ writes, seen }).toEqual({ writes: 0, seen: expected });
      }),
      { numRuns: 3_000 },
    );
  });

  test('in the end the garbage collector and we write nothing that the other takes back', () => {
    fc.assert(
      fc.property(
        stock,
        policy,
        replicas,
        scaledDown,
        withPlainReferences,
        (known, first, count, begun, run) => {
          const world = createWorld(known);
          world.step({ kind: 'createSet', replicas: count, policy: first });
          for (const step of [...start, ...begun, ...run]) {
            world.step(step);
          }
          for (let round = 0; round < 4; round++) {
            world.settle();
            world.step({ kind: 'garbageCollector' });
          }
          expect(world.settle()).toBe(0);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('policy Retain all along -> not one write', () => {
    const retain: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
    fc.assert(
      fc.property(stock, replicas, steps, (known, count, run) => {
        const world = createWorld(known);
        world.step({ kind: 'createSet', replicas: count, policy: retain });
        for (const step of [...start, ...run]) {
          if (step.kind === 'createSet') {
            world.step({ ...step, policy: retain });
          } else if (step.kind !== 'policy') {
            world.step(step);
          }
        }
        expect(world.settle()).toBe(0);
        notViolated(world);
      }),
      { numRuns: 1_000 },
    );
  });
});
