import { expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { eventually, useFaultScenes, type StagedController } from '@holdfast/scenario';
import type { Fault } from '@holdfast/testing';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { settled, type Policy } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  standIns: [claimCollector],
});
const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };

/** The first is the look before the reference is added, the second the look back. */
const looks = { ...ours, verb: 'get', resource: 'statefulsets', name: 'web' } as const;
const writes = { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' } as const;

test.concurrent.each([
  {
    name: 'the API server can not be reached for a while',
    faults: (): Fault => ({ kind: 'reset', when: 'before' }),
    times: 3,
  },
  {
    name: 'the API server answers 500 for a while',
    faults: (): Fault => ({ kind: 'status', code: 500 }),
    times: 3,
  },
  {
    name: 'the lease is lost',
    faults: (abandon: () => void): Fault => ({ kind: 'call', run: abandon }),
    times: 1,
  },
])(
  'A0: set orphaned between look and write, then $name -> the reference is taken back, the claim survives',
  async ({ faults, times }) => {
    await using scene = await open();
    const { plan, hand, start, standIns } = scene;
    await hand.createSet({ replicas: 1, policy });
    const claim = await hand.createClaim('data-web-0');
    const [collector] = standIns;
    const orphan = async (): Promise<void> => {
      await hand.deleteSet('Orphan');
      await hand.setGone();
      await collector?.pause();
    };
    plan.on(writes, { kind: 'call', run: orphan }, { times: 1 });
    let ending: Promise<void> | undefined;
    const started = Promise.withResolvers<StagedController>();
    const abandon = (): void => {
      ending = started.promise.then((controller) => controller.abandon());
    };
    plan.on(looks, faults(abandon), { from: 2, times });
    started.resolve(await start({ clock: systemClock }));
    await eventually('the reference was added, and taken back or left', async () => {
      const found = await hand.findClaim('data-web-0');
      return found?.metadata.resourceVersion !== claim.metadata.resourceVersion;
    });
    await eventually('it is taken back', async () => (await hand.ownersOf('data-web-0'))?.length === 0);
    await ending;
    await start();
    collector?.resume();
    await settled(hand);
    expect(await hand.dataOf('data-web-0')).toBe(claim.metadata.uid);
  },
  120_000,
);
