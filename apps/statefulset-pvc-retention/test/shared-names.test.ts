import { expect, test } from '@jest/globals';
import { useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp } from './faulty-app.ts';
import { atRest, collected, judged, type Policy } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  standIns: [claimCollector],
});
const both: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
const retain: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };

test('claim owned by its set, a second set makes claims of its name -> let go, and kept when the first is deleted', async () => {
  const { stage, hand, start } = await open();
  await start();
  await hand.createSet({ name: 'a-b', templates: ['c'], replicas: 1, policy: both });
  const { metadata } = await hand.createClaim('c-a-b-0');
  await hand.owned('c-a-b-0', 'StatefulSet a-b*');
  await hand.createSet({ name: 'b', templates: ['c-a'], replicas: 1, policy: retain });
  await hand.owned('c-a-b-0');
  await hand.deleteSet('Background', 'a-b');
  await judged(hand);
  await collected(hand);
  await atRest(stage);
  expect(await hand.dataOf('c-a-b-0')).toBe(metadata.uid);
}, 60_000);
