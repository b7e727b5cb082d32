import { expect, test } from '@jest/globals';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { faultyApp, ours, stockControllers } from './faulty-app.ts';
import { settled, type Policy } from './stage.ts';

/*
 * A claim whose ordinal was scaled down under Retain is kept, also if the app learns only later that its pod is gone:
 * the policy is Delete by then.
 */

const open = useFaultScenes({
  ...faultyApp,
  options: { featureGates: 'DeletionGracePeriod=true' },
  standIns: stockControllers,
});
const podReads = { ...ours, verb: ['list', 'watch'], resource: 'pods' } as const;
const keeps: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };

test.each<{ policy: Policy; annotations: Readonly<Record<string, string>> }>([
  { policy: { whenDeleted: 'Retain', whenScaled: 'Delete' }, annotations: {} },
  { policy: { whenDeleted: 'Delete', whenScaled: 'Retain' }, annotations: {} },
  {
    policy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
    annotations: { 'holdfast.dev/scale-down-grace': '1h' },
  },
  {
    policy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    annotations: { 'holdfast.dev/set-deletion-grace': '1h' },
  },
])(
  'pods can not be listed, scaled down under Retain, changed to $policy with $annotations -> the claim stays as it is',
  async ({ policy, annotations }) => {
    const { plan, plane, hand, start } = await open();
    await hand.createSet({ policy: keeps, annotations });
    await hand.running('web-0', 'web-1');
    await start();
    await settled(hand);
    plan.on(podReads, {
      kind: 'status',
      code: 410,
      reason: 'Expired',
      message: 'too old resource version',
    });
    plane.apiServer.cutWatches();
    await eventually('pods can not be listed', () => plan.injected.length >= 3);
    await hand.scale(1);
    await hand.running('web-0');
    const claim = await hand.findClaim('data-web-1');
    await hand.setPolicy(policy);
    await settled(hand);
    expect(await hand.findClaim('data-web-1')).toEqual(claim);
    plan.clear();
    plan.on(podReads, { kind: 'delay', milliseconds: 0 });
    const tried = plan.injected.length;
    await eventually('pods are listed and watched', () => plan.injected.length >= tried + 2);
    await hand.createSet({ name: 'other', policy: { whenDeleted: 'Retain', whenScaled: 'Delete' } });
    await hand.running('web-0', 'other-0', 'other-1');
    await hand.scale(1, 'other');
    await hand.gone('data-other-1');
    await settled(hand);
    expect(await hand.findClaim('data-web-1')).toEqual(claim);
  },
  60_000,
);
