import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isNotFound } from '@holdfast/runtime';
import { createPacedClock, type StagedController } from '@holdfast/scenario';
import {
  allIdle,
  createFaultPlan,
  garbageCollector,
  kubelet,
  startController,
  startEmbeddedControlPlane,
  statefulSetController,
  type EmbeddedControlPlane,
  type RunningController,
} from '@holdfast/testing';
import fc from 'fast-check';
import { handOf, openStage, ownerOfWanted, settled, type Hand, type Policy, type Stage } from './stage.ts';

/*
 * What `interleavings.test.ts` plays in a small world, a few times in the large one: the whole app on the embedded
 * server, with stand-ins of the stock controllers, under changes that do not wait for each other.
 */

/** For tests that cut watches for the sake of what comes after: the back-off of a watch is 800 ms at the least. */
const fastClock = createPacedClock(20);

const retention = fc.constantFrom('Retain' as const, 'Delete' as const);
const policy: fc.Arbitrary<Policy> = fc.record({ whenDeleted: retention, whenScaled: retention });
const action = fc.oneof(
  fc.record({ kind: fc.constant('scale' as const), replicas: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('policy' as const), policy }),
  fc.record({
    kind: fc.constant('deletePod' as const),
    ordinal: fc.integer({ min: 0, max: 2 }),
    grace: fc.constantFrom(0, 5),
  }),
  fc.record({ kind: fc.constant('roll' as const) }),
  fc.record({ kind: fc.constant('cut' as const) }),
  fc.record({ kind: fc.constant('crash' as const) }),
  fc.record({ kind: fc.constant('settle' as const) }),
);

let plane: EmbeddedControlPlane;
let stage: Stage;
let ours: StagedController;
let standIns: readonly RunningController[] = [];

beforeAll(async () => {
  plane = await startEmbeddedControlPlane({
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    tls: false,
    faults: createFaultPlan(1847).on(
      { userAgent: /^statefulset-pvc-retention\//, verb: ['patch', 'get'] },
      { kind: 'delay', milliseconds: 5 },
      { probability: 0.5 },
    ),
  });
  standIns = [
    await startController(plane, statefulSetController({ retention: false })),
    await startController(plane, garbageCollector),
    await startController(plane, kubelet()),
  ];
  stage = await openStage(plane);
  ours = await stage.startController({ clock: fastClock });
}, 60_000);

afterAll(async () => {
  await stage.close();
  await Promise.all(standIns.map((standIn) => standIn.stop()));
  await plane.stop();
}, 60_000);

async function unlessGone(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isNotFound(error)) {
      throw error;
    }
  }
}

/**
 * Without retention of its own, the stock controller makes a pod over a claim that was to go with the earlier pod of
 * its name, and is about to. A pod that runs gets no claim any more: one that is made anew does, as after the drain of
 * a node.
 */
async function withClaims(hand: Hand, names: readonly string[]): Promise<void> {
  const claims = await Promise.all(names.map((pod) => hand.findClaim(`data-${pod}`)));
  const bare = names.filter((_, index) => claims[index] === undefined);
  if (bare.length > 0) {
    await Promise.all(bare.map((pod) => unlessGone(hand.deletePod(pod, 0))));
    await hand.running(...names);
    await rest(hand);
  }
}

async function rest(hand: Hand): Promise<void> {
  await allIdle(standIns);
  await settled(hand);
  await allIdle(standIns);
}

test('changes that do not wait for each other, then the set goes -> claims stay or go as the policies said', async () => {
  await fc.assert(
    fc.asyncProperty(
      policy,
      fc.array(action, { minLength: 3, maxLength: 10 }),
      fc.constantFrom('Background' as const, 'Foreground' as const, 'Orphan' as const),
      async (first, actions, cascade) => {
        const hand = handOf(stage, await stage.namespace());
        await hand.createSet({ replicas: 2, policy: first });
        await hand.running('web-0', 'web-1');
        let last = first;
        let replicas = 2;
        // Ordinal 0 is wanted all along: whatever happens, its data stays as long as the set does.
        const data = await hand.dataOf('data-web-0');
        const firstPod = 'data-web-0';
        for (const next of actions) {
          switch (next.kind) {
            case 'scale':
              replicas = next.replicas;
              await hand.scale(replicas);
              break;
            case 'policy':
              last = next.policy;
              await hand.setPolicy(last);
              break;
            case 'deletePod':
              await unlessGone(hand.deletePod(`web-${String(next.ordinal)}`, next.grace));
              break;
            case 'roll':
              await hand.roll();
              break;
            case 'cut':
              plane.apiServer.cutWatches();
              break;
            case 'crash':
              await ours.abandon();
              ours = await stage.startController({ clock: fastClock });
              break;
            case 'settle':
              await settled(hand);
              break;
          }
          const claim = await hand.findClaim(firstPod);
          const controllers = claim?.metadata.ownerReferences?.filter(
            ({ controller }) => controller === true,
          );
          expect(controllers?.length ?? 0).toBeLessThanOrEqual(1);
        }
        const wanted = Array.from({ length: replicas }, (_, ordinal) => `web-${String(ordinal)}`);
        await hand.running(...wanted);
        await rest(hand);
        expect(await hand.dataOf(firstPod)).toBe(data);
        await withClaims(hand, wanted);
        for (const pod of wanted) {
          await hand.owned(`data-${pod}`, ...ownerOfWanted(last));
        }

        await hand.deleteSet(cascade);
        await rest(hand);
        const goes = cascade !== 'Orphan' && last.whenDeleted === 'Delete';
        expect(await hand.dataOf(firstPod)).toBe(goes ? undefined : data);
      },
    ),
    { numRuns: 8, endOnFailure: true },
  );
}, 300_000);
