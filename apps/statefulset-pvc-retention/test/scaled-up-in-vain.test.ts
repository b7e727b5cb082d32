import { expect, test } from '@jest/globals';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { faultyApp, ours, stockControllers } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { atRest, settled, type Policy } from './stage.ts';

const clock = createLeapingClock();
const open = useFaultScenes({
  ...faultyApp,
  options: { featureGates: 'DeletionGracePeriod=true', ...clock.wallClocks },
  standIns: stockControllers,
});
const hour = 3_600_000;
const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };
const writes = { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' } as const;

test('scaled up, and down again before its mark could be taken away -> the window begins anew', async () => {
  const { plan, hand, stage, start } = await open();
  await start({ clock });
  await hand.createSet({ policy, annotations: { 'holdfast.dev/scale-down-grace': '1h' } });
  await hand.running('web-0', 'web-1');
  const data = await hand.dataOf('data-web-1');
  await hand.scale(1);
  await hand.marked('data-web-1');
  await hand.running('web-0');
  await settled(hand);
  clock.leap(hour - 60_000);
  const before = await hand.markOf('data-web-1');
  plan.on(writes, {
    kind: 'status',
    code: 500,
    reason: 'InternalError',
    message: 'etcdserver: request timed out',
  });
  await hand.scale(2);
  await eventually('the mark could not be removed', () => plan.injected.length > 0);
  await hand.running('web-0', 'web-1');
  await hand.scale(1);
  await hand.running('web-0');
  plan.clear();
  await eventually('it is marked anew', async () => {
    const mark = await hand.markOf('data-web-1');
    return mark !== undefined && mark !== before;
  });
  clock.leap(hour - 60_000);
  await settled(hand);
  await atRest(stage);
  expect(await hand.dataOf('data-web-1')).toBe(data);
  clock.leap(60_000);
  await hand.gone('data-web-1');
}, 60_000);
