import { test } from '@jest/globals';
import { eventsV1 } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { atRest, type Policy } from './stage.ts';

const clock = createLeapingClock();
const open = useFaultScenes({
  ...faultyApp,
  options: { featureGates: 'DeletionGracePeriod=true', ...clock.wallClocks },
  standIns: [claimCollector],
});
const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
const annotations = { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/set-deletion-grace': '1h' };

test('claim of a deleted set is due, and another owner keeps it -> an Event says so', async () => {
  const { hand, namespace, stage, start } = await open();
  await start({ clock });
  const { metadata } = await hand.createSet({ name: 'keeper', replicas: 0 });
  await hand.createSet({ replicas: 1, policy, annotations });
  await hand.createClaim('data-web-0', [
    { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'keeper', uid: metadata.uid },
  ]);
  await hand.tied('data-web-0');
  await atRest(stage);
  await hand.deleteSet('Background');
  await hand.marked('data-web-0');
  clock.leap(3_600_000);
  await eventually('an Event says so', async () => {
    const { items } = await stage.client.list(eventsV1, { namespace });
    return items.some(({ reason, regarding }) => reason === 'ClaimKept' && regarding?.name === 'data-web-0');
  });
});
