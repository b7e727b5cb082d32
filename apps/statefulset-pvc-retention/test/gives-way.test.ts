import { beforeAll, describe, expect, test } from '@jest/globals';
import type { StagedController } from '@holdfast/scenario';
import { givesWay, learnsThatItIsAlone, reconciled, writesOf } from './gives-way.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { mixedPolicies } from './policies.ts';
import { handOf } from './stage.ts';
import { useStandInStage } from './stock-stage.ts';

/*
 * On the embedded server; `gives-way.real.test.ts` plays the same beside the real stock controller, with all policies.
 */

describe('beside a stock controller that has the feature', () => {
  const stage = useStandInStage(true);
  let ours: StagedController;

  beforeAll(async () => {
    ours = await stage().startController({ yieldToStockController: true });
  });

  givesWay(stage, () => ours, mixedPolicies);
});

describe('beside a stock controller without the feature', () => {
  const stage = useStandInStage(false);
  const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const;

  learnsThatItIsAlone(stage);

  test('S8: scaled down while it is left to the other, the pod ends meanwhile -> the claim goes all the same', async () => {
    const clock = createLeapingClock();
    const ours = await stage().startController({ yieldToStockController: true, clock });
    const hand = handOf(stage(), await stage().namespace());
    await hand.createSet({ replicas: 2, policy: { ...policy, whenDeleted: 'Retain' } });
    await hand.running('web-0', 'web-1');
    await hand.scale(1);
    await hand.running('web-0');
    await reconciled(ours, 'requeue_after', 1);
    expect(await hand.ownersOf('data-web-1')).toStrictEqual([]);
    clock.leap(20_000);
    await hand.gone('data-web-1');
    await ours.stop();
  }, 60_000);

  test('S8: set deleted while its references are left to the other -> its claims stay', async () => {
    const clock = createLeapingClock();
    const ours = await stage().startController({ yieldToStockController: true, clock });
    const hand = handOf(stage(), await stage().namespace());
    await hand.createSet({ replicas: 1, policy });
    await hand.running('web-0');
    await reconciled(ours, 'requeue_after', 1);
    const data = await hand.dataOf('data-web-0');
    await hand.deleteSet('Background');
    await hand.running();
    clock.leap(20_000);
    await reconciled(ours, 'success', 1);
    expect(await hand.dataOf('data-web-0')).toBe(data);
    expect(await writesOf(ours)).toBe(0);
    await ours.stop();
  }, 60_000);
});
