import { beforeEach, expect, test } from '@jest/globals';
import { useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { createScaledDownSet } from './scaled-down-set.ts';
import { atRest, judged, type Policy } from './stage.ts';

const hour = 3_600_000;
const clock = createLeapingClock();
/** How far the clock of the app's machine is behind the API server's, in milliseconds. */
let behind = 0;
beforeEach(() => {
  behind = 20 * hour;
});
const open = useFaultScenes({
  ...faultyApp,
  options: {
    featureGates: 'DeletionGracePeriod=true,CollectMissedScaleDown=true',
    now: () => new Date(clock.wallClock().getTime() - behind),
    serverTime: clock.wallClock,
  },
  standIns: [claimCollector],
});
const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
const annotations = { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/set-deletion-grace': '90m' };

/** For a claim that has begun to wait for 90 minutes, by the wrong clock. */
async function mustGoWithinAnHourOfItsTime(
  { hand, stage }: Pick<Awaited<ReturnType<typeof open>>, 'hand' | 'stage'>,
  uid: string,
): Promise<void> {
  await judged(hand);
  await atRest(stage);
  behind = 0;
  clock.leap(1.25 * hour);
  await judged(hand);
  await atRest(stage);
  expect(await hand.dataOf('data-web-0')).toBe(uid);
  clock.leap(1.25 * hour);
  await hand.gone('data-web-0');
}

/* A node that starts with a wrong clock sets it right a moment later, when the claim waits already. */

test('machine is hours behind when a claim begins to wait, and then set right -> a claim of a deleted set goes within an hour of its time', async () => {
  const scene = await open();
  const { hand, stage, start } = scene;
  await start({ clock });
  await hand.createSet({ replicas: 1, policy, annotations });
  const { metadata } = await hand.createClaim('data-web-0');
  await hand.tied('data-web-0');
  await atRest(stage);
  await hand.deleteSet('Background');
  await hand.marked('data-web-0');
  await mustGoWithinAnHourOfItsTime(scene, metadata.uid);
});

test('the same -> so does a claim that was scaled down', async () => {
  const scene = await open();
  const { hand, start } = scene;
  await start({ clock });
  const owner = await createScaledDownSet(hand, '90m');
  const { metadata } = await hand.createClaim('data-web-0', [owner]);
  await hand.marked('data-web-0');
  await mustGoWithinAnHourOfItsTime(scene, metadata.uid);
});
