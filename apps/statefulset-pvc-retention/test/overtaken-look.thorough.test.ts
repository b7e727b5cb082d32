import { expect, test } from '@jest/globals';
import { pods } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { outcomesOf } from './counts.ts';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { type Hand, type Policy, type SetShape } from './stage.ts';

/*
 * A write that rests on a look waits to be sent, for less time than the look is good for, and the watch shows meanwhile
 * that it is not called for any more.
 */

const clock = createLeapingClock();
const open = useFaultScenes({
  ...faultyApp,
  options: {
    featureGates: 'DeletionGracePeriod=true',
    ...clock.wallClocks,
  },
});
const deletions = { ...ours, verb: 'delete', resource: 'persistentvolumeclaims' } as const;
const twoHours = 2 * 3_600_000;
const deletionPolicy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
const deletionWindow = { 'holdfast.dev/set-deletion-grace': '1h' };

async function madeAgain(hand: Hand, shape: SetShape = {}): Promise<void> {
  await hand.createSet({ replicas: 1, policy: deletionPolicy, annotations: deletionWindow, ...shape });
}

test.each([
  {
    what: 'is made again with other templates',
    remake: (hand: Hand) => madeAgain(hand, { templates: ['cache'] }),
  },
  {
    what: 'is made again and deleted with its dependents orphaned',
    remake: async (hand: Hand) => {
      await madeAgain(hand);
      await hand.deleteSet('Orphan');
      await hand.setGone();
    },
  },
])(
  'the set of the claim is gone, and $what meanwhile -> never sent again',
  async ({ remake }) => {
    const { plan, hand, start } = await open([claimCollector]);
    await start({ clock });
    await madeAgain(hand);
    const { metadata } = await hand.createClaim('data-web-0');
    await hand.tied('data-web-0');
    await hand.deleteSet('Background');
    await hand.marked('data-web-0');
    plan.on(deletions, { kind: 'call', run: () => remake(hand) }, { times: 1 });
    plan.on(deletions, { kind: 'status', code: 429, retryAfterSeconds: 2 }, { times: 1 });
    // That its mark is taken away, which would change its version, has to wait as well.
    const patches = { ...deletions, verb: 'patch' } as const;
    plan.on(patches, { kind: 'status', code: 429, retryAfterSeconds: 5 }, { times: 1 });
    clock.leap(twoHours);
    // It is gone, or marked no more.
    await hand.unmarked('data-web-0');
    expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
    expect(plan.injected.filter(({ fault }) => fault.kind === 'call')).toHaveLength(1);
  },
  60_000,
);

test('hold of a claim waits out a Retry-After to be taken off, its set is orphaned meanwhile -> never sent again', async () => {
  const { plan, hand, start } = await open();
  await hand.createSet({ replicas: 1, policy: deletionPolicy });
  const { metadata } = await hand.createClaim('data-web-0');
  // The first adds the reference and the hold.
  const confirmations = { ...deletions, verb: 'patch' } as const;
  plan.on(confirmations, { kind: 'call', run: () => hand.deleteSet('Orphan') }, { from: 2, times: 1 });
  plan.on(confirmations, { kind: 'status', code: 429, retryAfterSeconds: 1 }, { from: 2, times: 1 });
  const controller = await start({ clock });
  const outcomes = (): Promise<readonly unknown[]> => outcomesOf(controller, 'confirm');
  await eventually('it was sent, or given up', async () => (await outcomes()).length > 0);
  expect(await outcomes()).toEqual(['conflict']);
  await hand.owned('data-web-0');
  expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
}, 60_000);

test('reference to a pod waits out a Retry-After to be taken off, the watch shows meanwhile what the look has shown -> sent again', async () => {
  const { plan, stage, namespace, hand, start } = await open();
  const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
  const { uid } = (await hand.createSet({ replicas: 0, policy })).metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid, controller: true };
  const containers = [{ name: 'c', image: 'example.com/none' }];
  await stage.client.create(pods, namespace, {
    metadata: { name: 'web-0', ownerReferences: [owner] },
    spec: { containers },
  });
  await hand.createClaim('data-web-0');
  const controller = await start({ clock });
  await hand.owned('data-web-0', 'Pod web-0*');
  const looks = { ...ours, verb: 'get', resource: 'statefulsets', name: 'web' } as const;
  const retain = (): Promise<void> => hand.setPolicy({ ...policy, whenDeleted: 'Retain' });
  plan.on(looks, { kind: 'call', run: retain }, { times: 1 });
  plan.on({ ...deletions, verb: 'patch' }, { kind: 'status', code: 429, retryAfterSeconds: 3 }, { times: 1 });
  await hand.scale(1);
  await hand.owned('data-web-0');
  expect(await outcomesOf(controller, 'remove')).toEqual(['success']);
}, 60_000);
