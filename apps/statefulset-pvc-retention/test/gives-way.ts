import { expect, test } from '@jest/globals';
import { persistentVolumeClaims, type OwnerReference } from '@holdfast/core';
import { eventually, type StagedController } from '@holdfast/scenario';
import { countOf, endingsOf } from './counts.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { allPolicies } from './policies.ts';
import {
  atRest,
  collected,
  handOf,
  judged,
  ownerOfWanted,
  type Hand,
  type Policy,
  type Stage,
} from './stage.ts';

const updates = 'statefulset_pvc_owner_reference_updates_total';

/** Writes of ours to owner references, as it counts them itself. */
export function writesOf(ours: StagedController): Promise<number> {
  return countOf(ours, updates);
}

/** Marks that it wrote or took away, and claims that it deleted. */
export function marksOf(ours: StagedController): Promise<number> {
  return countOf(ours, 'statefulset_pvc_delayed_deletions_total');
}

/**
 * What Kubernetes' own tests do to a StatefulSet with a retention policy, beside a stock controller that has the
 * feature: everything goes as with that one alone, and not one write is ours.
 *
 * @param ours knows nothing of the stock controller when the first test begins
 * @param policies default: all four
 */
export function givesWay(
  stage: () => Stage,
  ours: () => StagedController,
  policies: readonly Policy[] = allPolicies,
): void {
  /** @param rescues whether claims are rescued; more tries than claims, where the garbage collector is faster */
  const play = (name: string, situation: (hand: Hand) => Promise<void>, rescues = false): void =>
    test(`S8: ${name} -> no write of ours${rescues ? ' but to rescue claims' : ''}`, async () => {
      const hand = handOf(stage(), await stage().namespace());
      const removalsOf = () => countOf(ours(), updates, { operation: 'remove' });
      const [writes, removals] = [await writesOf(ours()), await removalsOf()];
      await situation(hand);
      await collected(hand);
      // The one write is the marker's, which is made for this.
      await judged(hand);
      await atRest(stage());
      const removed = (await removalsOf()) - removals;
      expect((await writesOf(ours())) - writes).toBe(removed);
      expect(rescues ? Math.min(removed, 1) : removed).toBe(1);
    }, 60_000);
  const claims = ['data-web-0', 'data-web-1', 'data-web-2'] as const;
  const ownedBy = async (hand: Hand, policy: Policy): Promise<void> => {
    for (const claim of claims) {
      await hand.owned(claim, ...ownerOfWanted(policy));
    }
  };
  const created = async (hand: Hand, policy: Policy): Promise<void> => {
    await hand.createSet({ replicas: 3, policy });
    await hand.running('web-0', 'web-1', 'web-2');
    await ownedBy(hand, policy);
  };

  for (const policy of policies) {
    const title = `whenDeleted ${policy.whenDeleted}, whenScaled ${policy.whenScaled}`;
    play(`${title}, scaled down and up, pods deleted, rolled`, async (hand) => {
      await created(hand, policy);
      await hand.scale(1);
      await hand.running('web-0');
      if (policy.whenScaled === 'Delete') {
        await hand.gone('data-web-1', 'data-web-2');
      }
      await hand.scale(3);
      await hand.runningAnew('web-0', 'web-1', 'web-2');
      await ownedBy(hand, policy);
      await hand.deletePod('web-1');
      await hand.roll();
      await eventually('the pods are there again', async () => (await hand.findPod('web-1')) !== undefined);
      await hand.running('web-0', 'web-1', 'web-2');
      await ownedBy(hand, policy);
    });

    for (const cascade of ['Background', 'Foreground', 'Orphan'] as const) {
      play(
        `${title}, set deleted, ${cascade}`,
        async (hand) => {
          await created(hand, policy);
          await hand.deleteSet(cascade);
          await hand.setGone();
          if (cascade !== 'Orphan' && policy.whenDeleted === 'Delete') {
            await hand.gone(...claims);
          }
        },
        cascade === 'Orphan' && policy.whenDeleted === 'Delete',
      );
    }
  }

  play('policy turned through all four', async (hand) => {
    const none: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
    await created(hand, none);
    for (const policy of [...allPolicies, ...allPolicies.toReversed()]) {
      await hand.setPolicy(policy);
      await ownedBy(hand, policy);
    }
  });

  play('another controller, and another owner, on a claim', async (hand) => {
    const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    await created(hand, policy);
    const { metadata } = await hand.createClaim('foreign');
    const owner: OwnerReference = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      name: 'foreign',
      uid: metadata.uid,
      controller: true,
    };
    const patch = (name: string, op: 'replace' | 'add', path: string, value: unknown) =>
      stage().client.patch(persistentVolumeClaims, { namespace: hand.namespace, name }, [
        { op, path, value },
      ]);
    await patch('data-web-1', 'replace', '/metadata/ownerReferences', [owner]);
    await patch('data-web-2', 'add', '/metadata/ownerReferences/-', { ...owner, controller: false });
    await hand.scale(1);
    await hand.running('web-0');
    await hand.owned('data-web-1', 'PersistentVolumeClaim foreign*');
    await hand.deleteSet('Background');
    await hand.gone('data-web-0');
    expect(await hand.ownersOf('data-web-1')).toEqual(['PersistentVolumeClaim foreign*']);
  });
}

/** Beside a stock controller without the feature, where the API server keeps the field. */
export function learnsThatItIsAlone(stage: () => Stage): void {
  const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
  test('S8: first set -> left to the other for 20 s, then owned; next set -> owned at once; an hour later -> left again', async () => {
    const clock = createLeapingClock();
    const ours = await stage().startController({ yieldToStockController: true, clock });
    const hand = handOf(stage(), await stage().namespace());
    await hand.createSet({ replicas: 1, policy });
    await hand.running('web-0');
    await reconciled(ours, 'requeue_after', 1);
    expect(await hand.ownersOf('data-web-0')).toStrictEqual([]);
    clock.leap(20_000);
    await hand.owned('data-web-0', 'StatefulSet web*');

    await hand.createSet({ name: 'second', replicas: 1, policy });
    await hand.owned('data-second-0', 'StatefulSet second*');

    clock.leap(3_600_000);
    await atRest(stage());
    const writes = await writesOf(ours);
    await hand.createSet({ name: 'third', replicas: 1, policy });
    await hand.running('web-0', 'second-0', 'third-0');
    await reconciled(ours, 'requeue_after', 2);
    expect(await hand.ownersOf('data-third-0')).toStrictEqual([]);
    expect(await writesOf(ours)).toBe(writes);
    clock.leap(20_000);
    await hand.owned('data-third-0', 'StatefulSet third*');
    await ours.stop();
  }, 60_000);
}

/** Waits until a reconcile has ended so at least this often. */
export async function reconciled(
  ours: StagedController,
  result: 'success' | 'requeue_after',
  times: number,
): Promise<void> {
  await eventually(
    `${String(times)} reconciles ended with ${result}`,
    async () => (await endingsOf(ours, result)) >= times,
  );
}
