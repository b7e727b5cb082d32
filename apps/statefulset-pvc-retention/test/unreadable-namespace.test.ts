import { expect, test } from '@jest/globals';
import { madeBy, useFaultScenes } from '@holdfast/scenario';
import { garbageCollector } from '@holdfast/testing';
import { handOf, judged, openStage, type Policy } from './stage.ts';

const app = 'statefulset-pvc-retention';
const onDeletion: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };

const open = useFaultScenes({
  name: app,
  options: {},
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  openStage,
  handOf,
  standIns: [garbageCollector],
});

test.each([['pods'], ['statefulsets'], ['persistentvolumeclaims']])(
  'B1: %s of one namespace can not be read -> sets of the other are worked on, its own when they can be',
  async (resource) => {
    const { plan, stage, namespace, hand } = await open();
    const there = handOf(stage, await stage.namespace());
    await there.createSet({ replicas: 1, policy: onDeletion });
    await there.createClaim('data-web-0');
    plan.on(
      { ...madeBy(app), verb: ['list', 'watch'], resource, namespace: there.namespace },
      { kind: 'status', code: 403, reason: 'Forbidden' },
    );
    await stage.startController({ namespaces: [namespace, there.namespace] }, { clock: stage.fastClock() });
    await judged(hand);
    expect(plan.injected.length).toBeGreaterThan(0);
    expect(await there.ownersOf('data-web-0')).toStrictEqual([]);
    plan.clear();
    await there.owned('data-web-0', 'StatefulSet web*');
  },
);
