import { expect, test } from '@jest/globals';
import { useFaultScenes } from '@holdfast/scenario';
import { faultyApp, stockControllers } from './faulty-app.ts';
import { settled, type Policy } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  standIns: stockControllers,
});
const retain: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
const onDeletion: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };

test('S1: set made over older claims, deleted -> only those that its pods used go', async () => {
  const { hand, start } = await open();
  await start();
  const older = new Map<string, string>();
  for (const ordinal of ['0', '1', '2', '3']) {
    const { metadata } = await hand.createClaim(`data-web-${ordinal}`);
    older.set(metadata.name, metadata.uid);
  }
  await hand.createSet({ replicas: 2, policy: onDeletion });
  await hand.running('web-0', 'web-1');
  await hand.owned('data-web-0', 'StatefulSet web*');
  await hand.owned('data-web-1', 'StatefulSet web*');
  await settled(hand);
  expect([await hand.ownersOf('data-web-2'), await hand.ownersOf('data-web-3')]).toEqual([[], []]);
  await hand.deleteSet('Background');
  await hand.gone('data-web-0', 'data-web-1');
  await settled(hand);
  for (const name of ['data-web-2', 'data-web-3']) {
    expect(await hand.dataOf(name)).toBe(older.get(name));
  }
}, 60_000);

test('S1: scaled down under Retain, turned to Delete, set deleted -> what was scaled down before stays', async () => {
  const { hand, start } = await open();
  await start();
  await hand.createSet({ replicas: 2, policy: retain });
  await hand.running('web-0', 'web-1');
  const kept = await hand.dataOf('data-web-1');
  await hand.scale(1);
  await hand.running('web-0');
  await settled(hand);
  await hand.setPolicy(onDeletion);
  await hand.owned('data-web-0', 'StatefulSet web*');
  await settled(hand);
  await hand.deleteSet('Background');
  await hand.gone('data-web-0');
  await settled(hand);
  expect(await hand.dataOf('data-web-1')).toBe(kept);
}, 60_000);
