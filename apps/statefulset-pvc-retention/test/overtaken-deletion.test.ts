import { expect, test } from '@jest/globals';
import { pods } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { outcomesOf } from './counts.ts';
import { faultyApp, ours } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { createScaledDownSet } from './scaled-down-set.ts';
import { judged, type Policy } from './stage.ts';

/*
 * The look says that the window of a claim is over; the API server has its deletion wait, for less time than the look
 * is good for, and the watch shows meanwhile that the claim is wanted.
 */

const clock = createLeapingClock();
const open = useFaultScenes({
  ...faultyApp,
  options: {
    featureGates: 'DeletionGracePeriod=true,CollectMissedScaleDown=true',
    ...clock.wallClocks,
  },
});
const deletions = { ...ours, verb: 'delete', resource: 'persistentvolumeclaims' } as const;
const twoHours = 2 * 3_600_000;

test('deletion waits out a Retry-After, its set is scaled up meanwhile -> never sent again', async () => {
  const { plan, hand, start } = await open();
  await start({ clock, clientClock: clock });
  const owner = await createScaledDownSet(hand, '1h');
  const { metadata } = await hand.createClaim('data-web-0', [owner]);
  await hand.marked('data-web-0');
  plan.on(deletions, { kind: 'call', run: () => hand.scale(1) }, { times: 1 });
  plan.on(deletions, { kind: 'status', code: 429, retryAfterSeconds: 2 }, { times: 1 });
  clock.leap(twoHours);
  // It is gone, or marked no more.
  await hand.unmarked('data-web-0');
  expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
  expect(plan.injected).toHaveLength(2);
}, 60_000);

test('the set of the claim is gone, and is made again meanwhile -> never sent again', async () => {
  const { plan, hand, start } = await open();
  await start({ clock, clientClock: clock });
  const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
  const annotations = { 'holdfast.dev/set-deletion-grace': '1h' };
  await hand.createSet({ replicas: 1, policy, annotations });
  const { metadata } = await hand.createClaim('data-web-0');
  await hand.tied('data-web-0');
  await hand.deleteSet('Background');
  await hand.marked('data-web-0');
  const makeAgain = async (): Promise<void> => {
    await hand.createSet({ replicas: 1, policy, annotations });
  };
  plan.on(deletions, { kind: 'call', run: makeAgain }, { times: 1 });
  plan.on(deletions, { kind: 'status', code: 429, retryAfterSeconds: 2 }, { times: 1 });
  // That its mark is taken away, which would change its version, has to wait as well.
  plan.on({ ...deletions, verb: 'patch' }, { kind: 'status', code: 429, retryAfterSeconds: 5 }, { times: 1 });
  clock.leap(twoHours);
  // It is gone, or marked no more.
  await hand.unmarked('data-web-0');
  expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
  expect(plan.injected).toHaveLength(3);
}, 60_000);

test('reference to a pod that is gone waits out a Retry-After, its set is scaled up meanwhile -> never sent again', async () => {
  const { plan, stage, namespace, hand, start } = await open();
  const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };
  const { uid } = (await hand.createSet({ replicas: 1, policy })).metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid, controller: true };
  const containers = [{ name: 'c', image: 'example.com/none' }];
  await stage.client.create(pods, namespace, {
    metadata: { name: 'web-0', ownerReferences: [owner] },
    spec: { containers },
  });
  await hand.createClaim('data-web-0');
  const controller = await start({ clock, clientClock: clock });
  await judged(hand);
  const additions = { ...deletions, verb: 'patch' } as const;
  plan.on(additions, { kind: 'call', run: () => hand.scale(1) }, { times: 1 });
  plan.on(additions, { kind: 'status', code: 429, retryAfterSeconds: 1 }, { times: 1 });
  await hand.deletePod('web-0', 0);
  await hand.scale(0);
  const outcomes = (): Promise<readonly unknown[]> => outcomesOf(controller, 'add');
  await eventually('it was sent, or given up', async () => (await outcomes()).length > 0);
  expect(await outcomes()).toEqual(['conflict']);
}, 60_000);
