import { expect, test } from '@jest/globals';
import { pods, statefulSets } from '@holdfast/core';
import { useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { collected, type Policy } from './stage.ts';

/* A claim that has a pod as its owner, and whose ordinal is wanted again, while the API server answers no live look. */

const open = useFaultScenes({ ...faultyApp, standIns: [claimCollector] });

/**
 * A set with pods `web-0` and `web-1`, and the claims of both; the second is scaled down. Then no look at the set
 * succeeds.
 */
async function openScaledDown(policy: Policy) {
  const { plan, stage, namespace, hand, start } = await open();
  const { uid } = (await hand.createSet({ replicas: 1, policy })).metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid, controller: true };
  for (const name of ['web-0', 'web-1']) {
    await stage.client.create(pods, namespace, {
      metadata: { name, ownerReferences: [owner] },
      spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
    });
    await hand.createClaim(`data-${name}`);
  }
  await start();
  await hand.owned('data-web-1', 'Pod web-1*');
  plan.on({ ...ours, verb: 'get', resource: 'statefulsets' }, { kind: 'status', code: 500 });
  return {
    hand,
    wantSecond: () =>
      stage.client.patch(statefulSets, { namespace, name: 'web' }, [
        { op: 'add', path: '/spec/ordinals', value: { start: 1 } },
      ]),
  };
}

test('scaled up again, the claim is to have the set -> it loses the pod at least, and survives it', async () => {
  const { hand } = await openScaledDown({ whenDeleted: 'Delete', whenScaled: 'Delete' });
  const data = await hand.dataOf('data-web-1');
  await hand.scale(2);
  await hand.owned('data-web-1');
  await hand.deletePod('web-1', 0);
  await collected(hand);
  expect(await hand.dataOf('data-web-1')).toBe(data);
}, 60_000);

test('wanted in place of another, which is to have its pod -> it loses its own all the same', async () => {
  const { hand, wantSecond } = await openScaledDown({ whenDeleted: 'Retain', whenScaled: 'Delete' });
  await wantSecond();
  await hand.owned('data-web-1');
}, 60_000);
