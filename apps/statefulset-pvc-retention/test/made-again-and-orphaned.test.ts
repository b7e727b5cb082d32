import { expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { atRest, collected, settled, type Policy } from './stage.ts';

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
const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
const annotations = { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/set-deletion-grace': '1h' };
const writes = { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' } as const;

test('set deleted, made again and orphaned before its claim is marked -> the claim survives the window', async () => {
  await using scene = await open();
  const { plan, hand, namespace, stage, start } = scene;
  const annotationsOf = async (): Promise<Readonly<Record<string, string>>> =>
    (await stage.find(persistentVolumeClaims, { namespace, name: 'data-web-0' }))?.metadata.annotations ?? {};
  await start({ clock });
  await hand.createSet({ replicas: 1, policy, annotations });
  const { metadata } = await hand.createClaim('data-web-0');
  await eventually('it is tied', async () => 'holdfast.dev/deleted-with' in (await annotationsOf()));
  await atRest(stage);

  const makeAgainAndOrphan = async (): Promise<void> => {
    await hand.createSet({ replicas: 1, policy, annotations });
    await hand.deleteSet('Orphan');
    await hand.setGone();
    await collected(hand);
  };
  // The API server takes its time with every write that is under way meanwhile.
  let orphaned: Promise<void> | undefined;
  plan.on(writes, { kind: 'call', run: () => (orphaned ??= makeAgainAndOrphan()) });
  await hand.deleteSet('Background');
  await eventually('the mark was written', () => plan.injected.length > 0);
  await settled(hand);
  await atRest(stage);
  clock.leap(hour);
  await settled(hand);
  await atRest(stage);
  expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
  await eventually('nothing is left on it', async () => Object.keys(await annotationsOf()).length === 0);
}, 120_000);
