import { expect, test } from '@jest/globals';
import { useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { atRest, collected, judged, type Policy } from './stage.ts';

const clock = createLeapingClock();
const open = useFaultScenes({
  ...faultyApp,
  options: {
    featureGates: 'DeletionGracePeriod=true',
    ...clock.wallClocks,
  },
  standIns: [claimCollector],
});
const hour = 3_600_000;
const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
const annotations = { 'holdfast.dev/set-deletion-grace': '5h' };
const writes = {
  ...ours,
  verb: 'patch',
  resource: 'persistentvolumeclaims',
  name: 'data-web-0',
} as const;

test('set made again and orphaned, the mark of its claim can not be taken away for hours -> the claim survives the window', async () => {
  await using scene = await open();
  const { plan, hand, stage, start } = scene;
  await start({ clock });
  await hand.createSet({ replicas: 1, policy, annotations });
  const { metadata } = await hand.createClaim('data-web-0');
  await judged(hand);
  await hand.deleteSet('Background');
  await hand.marked('data-web-0');
  plan.on(writes, { kind: 'status', code: 403, reason: 'Forbidden', message: 'policy' });
  await hand.createSet({ replicas: 1, policy, annotations });
  await hand.deleteSet('Orphan');
  await hand.setGone();
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
  await hand.unmarked('data-web-0');
  expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
}, 120_000);
