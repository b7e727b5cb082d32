import { expect, test } from '@jest/globals';
import { eventually, madeBy, useFaultScenes } from '@holdfast/scenario';
import { garbageCollector } from '@holdfast/testing';
import { createLeapingClock } from './leaping-clock.ts';
import { atRest, collected, handOf, judged, openStage, type Hand, type Policy } from './stage.ts';

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
  standIns: [garbageCollector],
});
const hour = 3_600_000;
const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
const annotations = { 'holdfast.dev/set-deletion-grace': '5h' };
const writes = {
  ...madeBy(app),
  verb: 'patch',
  resource: 'persistentvolumeclaims',
  name: 'data-web-0',
} as const;

async function isMarked(hand: Hand): Promise<boolean> {
  const claim = await hand.findClaim('data-web-0');
  return claim?.metadata.annotations?.['holdfast.dev/delete-after'] !== undefined;
}

test('set made again and orphaned, the mark of its claim can not be taken away for hours -> the claim survives the window', async () => {
  await using scene = await open();
  const { plan, hand, stage, start } = scene;
  await start({ clock });
  await hand.createSet({ replicas: 1, policy, annotations });
  const { metadata } = await hand.createClaim('data-web-0');
  await judged(hand);
  await hand.deleteSet('Background');
  await eventually('it is marked', () => isMarked(hand));
  plan.on(writes, { kind: 'status', code: 403, reason: 'Forbidden', message: 'policy' });
  await hand.createSet({ replicas: 1, policy, annotations });
  await hand.deleteSet('Orphan');
  await eventually('the second set is gone', async () => (await hand.findSet()) === undefined);
  await collected(hand);
  for (const other of ['one', 'two']) {
    clock.leap(3 * hour);
    await hand.createSet({ name: other, replicas: 0, policy });
    await judged(hand);
    await hand.deleteSet('Background', other);
    await judged(hand);
    await atRest(stage);
  }
  expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
  plan.clear();
  clock.leap(hour);
  await eventually('it is marked no more', async () => !(await isMarked(hand)));
  expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
}, 120_000);
