import { expect, test } from '@jest/globals';
import { useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { handOf, judged, type Policy } from './stage.ts';

const onDeletion: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };

const open = useFaultScenes({
  ...faultyApp,
  standIns: [claimCollector],
});

test.each([['pods'], ['statefulsets'], ['persistentvolumeclaims']])(
  'B1: %s of one namespace can not be read -> sets of the other are worked on, its own when they can be',
  async (resource) => {
    const { plan, stage, namespace, hand } = await open();
    const there = handOf(stage, await stage.namespace());
    await there.createSet({ replicas: 1, policy: onDeletion });
    await there.createClaim('data-web-0');
    plan.on(
      { ...ours, verb: ['list', 'watch'], resource, namespace: there.namespace },
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
