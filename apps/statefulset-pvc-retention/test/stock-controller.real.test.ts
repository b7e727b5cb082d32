import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import type { StagedController } from '@holdfast/scenario';
import { controlPlaneMissing } from '@holdfast/testing';
import { collected, handOf, ownerOfWanted, settled, type Hand, type Policy } from './stage.ts';
import { realStock, useRealStage } from './stock-stage.ts';

const options = realStock({ release: '1.36' });
const suite = controlPlaneMissing(options) === undefined ? describe : describe.skip;

/** Writes of ours to claims, by the app's own count. */
async function writesOf({ registry }: StagedController): Promise<number> {
  const metrics = await registry.getMetricsAsJSON();
  const requests = metrics.find(({ name }) => name === 'rest_client_requests_total');
  return (requests?.values ?? [])
    .filter(({ labels }) => labels['method'] === 'PATCH' || labels['method'] === 'DELETE')
    .reduce((sum, { value }) => sum + value, 0);
}

suite('beside the stock controller of 1.36', () => {
  const stage = useRealStage(options);

  const versions = async ({ namespace }: Hand): Promise<readonly string[]> =>
    (await stage().client.list(persistentVolumeClaims, { namespace })).items
      .filter(({ metadata }) => metadata.name.startsWith('data-web-'))
      .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
      .sort();

  const policies: readonly Policy[] = [
    { whenDeleted: 'Delete', whenScaled: 'Delete' },
    { whenDeleted: 'Delete', whenScaled: 'Retain' },
    { whenDeleted: 'Retain', whenScaled: 'Delete' },
    { whenDeleted: 'Retain', whenScaled: 'Retain' },
  ];
  test.each(policies)(
    'whenDeleted $whenDeleted, whenScaled $whenScaled: settled by the stock controller, then pods go and change -> no write of ours',
    async (policy) => {
      const hand = handOf(stage(), await stage().namespace());
      await hand.createSet({ replicas: 2, policy });
      await hand.running('web-0', 'web-1');
      await hand.owned('data-web-0', ...ownerOfWanted(policy));
      await hand.owned('data-web-1', ...ownerOfWanted(policy));
      const before = await versions(hand);

      const ours = await stage().startController({});
      await settled(hand);
      const settling = await writesOf(ours);
      await hand.deletePod('web-1');
      await hand.roll();
      await hand.running('web-0', 'web-1');
      await collected(hand);
      expect(await writesOf(ours)).toBe(settling);
      expect(await versions(hand)).toEqual(before);
      await ours.stop();
    },
    60_000,
  );

  test('policy turned to and fro, scaled down and up, both at work -> the table holds, and then rest', async () => {
    const hand = handOf(stage(), await stage().namespace());
    const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    const none: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
    const ours = await stage().startController({});
    await hand.createSet({ replicas: 2, policy: none });
    await hand.running('web-0', 'web-1');
    const data = await hand.dataOf('data-web-0');
    for (const policy of [both, none, both, none, both]) {
      await hand.setPolicy(policy);
      await hand.owned('data-web-0', ...ownerOfWanted(policy));
      await hand.owned('data-web-1', ...ownerOfWanted(policy));
    }
    await hand.scale(1);
    await hand.gone('data-web-1');
    await hand.running('web-0');
    await hand.scale(2);
    await hand.runningAnew('web-0', 'web-1');
    await hand.owned('data-web-1', ...ownerOfWanted(both));
    await settled(hand);
    const [writes, state] = [await writesOf(ours), await versions(hand)];
    // Whoever fights does so at once, and within the resync of neither.
    await settled(hand);
    const ownMarkers = 1;
    expect(await versions(hand)).toEqual(state);
    expect(await writesOf(ours)).toBeLessThanOrEqual(writes + ownMarkers);
    expect(await hand.dataOf('data-web-0')).toBe(data);
    await ours.stop();
  }, 120_000);
});
