import { expect, test } from '@jest/globals';
import { pods } from '@holdfast/core';
import { eventually, madeBy, useFaultScenes } from '@holdfast/scenario';
import { createLeapingClock } from './leaping-clock.ts';
import { handOf, judged, openStage, type Hand, type Policy } from './stage.ts';

/*
 * The look says that the window of a claim is over; the API server has its deletion wait, for less time than the look is good for, and the watch
 * shows meanwhile that the claim is wanted.
 */

const app = 'statefulset-pvc-retention';
const clock = createLeapingClock();
const open = useFaultScenes({
  name: app,
  options: {
    featureGates: 'DeletionGracePeriod=true,CollectMissedScaleDown=true',
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

test('deletion waits out a Retry-After, its set is scaled up meanwhile -> never sent again', async () => {
  const { plan, hand, start } = await open();
  await start({ clock, clientClock: clock });
  const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
  const annotations = { 'holdfast.dev/scale-down-grace': '1h' };
  const { uid } = (await hand.createSet({ replicas: 0, policy, annotations })).metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid, controller: true };
  const { metadata } = await hand.createClaim('data-web-0', [owner]);
  await marked(hand);
  plan.on(deletions, { kind: 'call', run: () => hand.scale(1) }, { times: 1 });
  plan.on(deletions, { kind: 'status', code: 429, retryAfterSeconds: 2 }, { times: 1 });
  clock.leap(twoHours);
  await decided(hand);
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
  await eventually('it is tied', async () => (await annotationOf(hand, 'deleted-with')) !== undefined);
  await hand.deleteSet('Background');
  await marked(hand);
  const makeAgain = async (): Promise<void> => {
    await hand.createSet({ replicas: 1, policy, annotations });
  };
  plan.on(deletions, { kind: 'call', run: makeAgain }, { times: 1 });
  plan.on(deletions, { kind: 'status', code: 429, retryAfterSeconds: 2 }, { times: 1 });
  // That its mark is taken away, which would change its version, has to wait as well.
  plan.on({ ...deletions, verb: 'patch' }, { kind: 'status', code: 429, retryAfterSeconds: 5 }, { times: 1 });
  clock.leap(twoHours);
  await decided(hand);
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
  const { registry } = await start({ clock, clientClock: clock });
  await judged(hand);
  const additions = { ...deletions, verb: 'patch' } as const;
  plan.on(additions, { kind: 'call', run: () => hand.scale(1) }, { times: 1 });
  plan.on(additions, { kind: 'status', code: 429, retryAfterSeconds: 1 }, { times: 1 });
  await hand.deletePod('web-0', 0);
  await hand.scale(0);
  const outcomes = async (): Promise<readonly unknown[]> => {
    const metric = await registry.getSingleMetric('statefulset_pvc_owner_reference_updates_total')?.get();
    return (metric?.values ?? [])
      .filter(({ labels }) => labels['operation'] === 'add')
      .map(({ labels }) => labels['result']);
  };
  await eventually('it was sent, or given up', async () => (await outcomes()).length > 0);
  expect(await outcomes()).toEqual(['conflict']);
}, 60_000);
