import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { garbageCollector, kubelet, statefulSetController } from '@holdfast/testing';
import { createLeapingClock } from './leaping-clock.ts';
import { atRest, handOf, openStage, settled, type Policy } from './stage.ts';

const clock = createLeapingClock();
const open = useFaultScenes({
  name: 'statefulset-pvc-retention',
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  options: {
    featureGates: 'DeletionGracePeriod=true,CollectMissedScaleDown=true',
    now: clock.wallClock,
    serverTime: clock.wallClock,
  },
  openStage,
  handOf,
  standIns: [statefulSetController({ retention: false }), garbageCollector, kubelet()],
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
      const { hand, namespace, stage, start } = await open();
      const isMarked = async (): Promise<boolean> => {
        const claim = await stage.find(persistentVolumeClaims, { namespace, name: 'data-web-1' });
        return claim?.metadata.annotations?.['holdfast.dev/delete-after'] !== undefined;
      };
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
      await eventually('it is marked', isMarked);
      await first.stop();
      if (replicas === 1) {
        await hand.deleteSet('Background');
      }
      await eventually('the set is gone', async () => (await hand.findSet()) === undefined);
      await hand.running();
      await hand.createSet({ replicas: 1, policy, annotations });
      await hand.running('web-0');
      clock.leap(hour);
      await start({ clock });
      await eventually('its mark is gone', async () => !(await isMarked()));
      await settled(hand);
      await atRest(stage);
      expect(await hand.dataOf('data-web-1')).toBe(data);
    },
    60_000,
  );
});
