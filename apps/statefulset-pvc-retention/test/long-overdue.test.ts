import { expect, test } from '@jest/globals';
import { pods } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { atRest, settled, type Policy } from './stage.ts';

const clock = createLeapingClock();
const open = useFaultScenes({
  ...faultyApp,
  options: { featureGates: 'DeletionGracePeriod=true', ...clock.wallClocks },
  standIns: [claimCollector],
});
const hour = 3_600_000;
const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
const annotations = { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/set-deletion-grace': '1h' };

test('claim of a deleted set, due for hours, a pod of another workload uses it -> the pods are listed once a minute', async () => {
  const { hand, namespace, plane, stage, start } = await open();
  await start({ clock });
  await hand.createSet({ replicas: 1, policy, annotations });
  await hand.createClaim('data-web-0');
  await hand.tied('data-web-0');
  await atRest(stage);
  await hand.deleteSet('Background');
  await hand.marked('data-web-0');
  await stage.client.create(pods, namespace, {
    metadata: { name: 'reader' },
    spec: {
      containers: [{ name: 'c', image: 'example.com/none' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }],
    },
  });
  const looks = (): number =>
    plane.apiServer.requests.all.filter(
      ({ verb, resource, namespace: of }) => verb === 'list' && resource === 'pods' && of === namespace,
    ).length;
  const lookedAgain = async (): Promise<number> => {
    const before = looks();
    await eventually('it is looked at', () => looks() > before);
    await settled(hand);
    await atRest(stage);
    return looks();
  };
  clock.leap(3 * hour);
  const first = await lookedAgain();
  clock.leap(30_000);
  await settled(hand);
  await atRest(stage);
  expect(looks()).toBe(first);
  clock.leap(30_000);
  await lookedAgain();
  await hand.deletePod('reader', 0);
  clock.leap(60_000);
  await hand.gone('data-web-0');
}, 60_000);
