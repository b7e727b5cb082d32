import { expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { faultyApp, stockControllers } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { atRest, judged, settled, type Policy } from './stage.ts';

const clock = createLeapingClock();
const open = useFaultScenes({
  ...faultyApp,
  options: { featureGates: 'DeletionGracePeriod=true', ...clock.wallClocks },
  standIns: stockControllers,
});
const hour = 3_600_000;
const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };

test('a tool writes the whole mark of an earlier scale-down again and again -> the claim is kept', async () => {
  const { hand, stage, namespace, start } = await open();
  await start({ clock });
  await hand.createSet({ policy, annotations: { 'holdfast.dev/scale-down-grace': '1h' } });
  await hand.running('web-0', 'web-1');
  const data = await hand.dataOf('data-web-1');
  const annotationsOf = async () => (await hand.findClaim('data-web-1'))?.metadata.annotations;
  const write = async (annotations: Readonly<Record<string, string>>): Promise<void> => {
    const present = await annotationsOf();
    await stage.client.patch(persistentVolumeClaims, { namespace, name: 'data-web-1' }, [
      { op: 'add', path: '/metadata/annotations', value: { ...present, ...annotations } },
    ]);
  };
  await hand.scale(1);
  await hand.marked('data-web-1');
  const inGit = Object.fromEntries(
    Object.entries((await annotationsOf()) ?? {}).filter(([name]) =>
      name.startsWith('holdfast.dev/delete-after'),
    ),
  );
  await hand.running('web-0');
  await hand.scale(2);
  await hand.running('web-0', 'web-1');
  await hand.unmarked('data-web-1');
  clock.leap(2 * hour);
  await hand.scale(1);
  await hand.marked('data-web-1');
  await hand.running('web-0');
  await settled(hand);
  for (let pass = 0; pass < 2; pass += 1) {
    await write(inGit);
    await eventually('the mark is gone, or the claim', async () => {
      const now = await annotationsOf();
      return now === undefined || now['holdfast.dev/delete-after-uid'] === undefined;
    });
    await judged(hand);
    await atRest(stage);
    expect([pass, await hand.dataOf('data-web-1')]).toEqual([pass, data]);
  }
}, 60_000);
