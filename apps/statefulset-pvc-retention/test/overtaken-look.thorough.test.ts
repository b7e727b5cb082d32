import { expect, test } from '@jest/globals';
import { pods } from '@holdfast/core';
import { eventually, madeBy, useFaultScenes } from '@holdfast/scenario';
import { garbageCollector } from '@holdfast/testing';
import type { Registry } from 'prom-client';
import { createLeapingClock } from './leaping-clock.ts';
import { handOf, openStage, type Hand, type Policy, type SetShape } from './stage.ts';

/*
 * A write that rests on a look waits to be sent, for less time than the look is good for, and the watch shows meanwhile that it is not called for any more.
 */

const app = 'statefulset-pvc-retention';
const clock = createLeapingClock();
const open = useFaultScenes({
  name: app,
  options: {
    featureGates: 'DeletionGracePeriod=true',
    now: clock.wallClock,
    serverTime: clock.wallClock,
  },
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  openStage,
  handOf,
  standIns: [],
});
const deletions = { ...madeBy(app), verb: 'delete', resource: 'persistentvolumeclaims' } as const;
const twoHours = 2 * 3_600_000;
const deletionPolicy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
const deletionWindow = { 'holdfast.dev/set-deletion-grace': '1h' };

async function madeAgain(hand: Hand, shape: SetShape = {}): Promise<void> {
  await hand.createSet({ replicas: 1, policy: deletionPolicy, annotations: deletionWindow, ...shape });
}

async function annotationOf(hand: Hand, name: string): Promise<string | undefined> {
  return (await hand.findClaim('data-web-0'))?.metadata.annotations?.[`holdfast.dev/${name}`];
}

async function marked(hand: Hand): Promise<void> {
  await eventually('it is marked', async () => (await annotationOf(hand, 'delete-after')) !== undefined);
}

async function decided(hand: Hand): Promise<void> {
  await eventually(
    'it is gone, or marked no more',
    async () => (await annotationOf(hand, 'delete-after')) === undefined,
  );
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
      await eventually('it is gone again', async () => (await hand.findSet()) === undefined);
    },
  },
])(
  'the set of the claim is gone, and $what meanwhile -> never sent again',
  async ({ remake }) => {
    const { plan, hand, start } = await open([garbageCollector]);
    await start({ clock });
    await madeAgain(hand);
    const { metadata } = await hand.createClaim('data-web-0');
    await eventually('it is tied', async () => (await annotationOf(hand, 'deleted-with')) !== undefined);
    await hand.deleteSet('Background');
    await marked(hand);
    plan.on(deletions, { kind: 'call', run: () => remake(hand) }, { times: 1 });
    plan.on(deletions, { kind: 'status', code: 429, retryAfterSeconds: 2 }, { times: 1 });
    // That its mark is taken away, which would change its version, has to wait as well.
    const patches = { ...deletions, verb: 'patch' } as const;
    plan.on(patches, { kind: 'status', code: 429, retryAfterSeconds: 5 }, { times: 1 });
    clock.leap(twoHours);
    await decided(hand);
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
  const { registry } = await start({ clock });
  const outcomes = (): Promise<readonly unknown[]> => outcomesOf('confirm', registry);
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
  const { registry } = await start({ clock });
  await hand.owned('data-web-0', 'Pod web-0*');
  const looks = { ...madeBy(app), verb: 'get', resource: 'statefulsets', name: 'web' } as const;
  const retain = (): Promise<void> => hand.setPolicy({ ...policy, whenDeleted: 'Retain' });
  plan.on(looks, { kind: 'call', run: retain }, { times: 1 });
  plan.on({ ...deletions, verb: 'patch' }, { kind: 'status', code: 429, retryAfterSeconds: 3 }, { times: 1 });
  await hand.scale(1);
  await hand.owned('data-web-0');
  expect(await outcomesOf('remove', registry)).toEqual(['success']);
}, 60_000);

async function outcomesOf(operation: string, registry: Registry): Promise<readonly unknown[]> {
  const metric = await registry.getSingleMetric('statefulset_pvc_owner_reference_updates_total')?.get();
  return (metric?.values ?? [])
    .filter(({ labels }) => labels['operation'] === operation)
    .map(({ labels }) => labels['result']);
}
