import { describe, expect, test } from '@jest/globals';
import { useFaultScenes } from '@holdfast/scenario';
import { faultyApp, stockControllers } from './faulty-app.ts';
import { createLeapingClock } from './leaping-clock.ts';
import { atRest, settled, type Policy } from './stage.ts';

const clock = createLeapingClock();
const open = useFaultScenes({
  ...faultyApp,
  options: {
    featureGates: 'DeletionGracePeriod=true,CollectMissedScaleDown=true',
    ...clock.wallClocks,
  },
  standIns: stockControllers,
});

const hour = 3_600_000;
const onScaleDown: Policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };
const onDeletion: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
const annotations = {
  'holdfast.dev/scale-down-grace': '1h',
  'holdfast.dev/set-deletion-grace': '1h',
};

/** KEP-1847, story 2: the set is deleted for a while, and made again over its claims. */
describe('S7: set made anew with fewer replicas while no controller runs, an hour later', () => {
  test.each([
    { name: 'claim marked when the earlier set was scaled down', policy: onScaleDown, replicas: 1 },
    { name: 'claim marked when the earlier set was deleted', policy: onDeletion, replicas: 2 },
  ])(
    '$name -> mark cleared, claim kept',
    async ({ policy, replicas }) => {
      const { hand, stage, start } = await open();
      const first = await start({ clock });
      await hand.createSet({ replicas: 2, policy, annotations });
      await hand.running('web-0', 'web-1');
      await settled(hand);
      const data = await hand.dataOf('data-web-1');
      if (replicas === 1) {
        await hand.scale(replicas);
      } else {
        await hand.deleteSet('Background');
      }
      await hand.marked('data-web-1');
      await first.stop();
      if (replicas === 1) {
        await hand.deleteSet('Background');
      }
      await hand.setGone();
      await hand.running();
      await hand.createSet({ replicas: 1, policy, annotations });
      await hand.running('web-0');
      clock.leap(hour);
      await start({ clock });
      await hand.unmarked('data-web-1');
      await settled(hand);
      await atRest(stage);
      expect(await hand.dataOf('data-web-1')).toBe(data);
    },
    60_000,
  );
});
