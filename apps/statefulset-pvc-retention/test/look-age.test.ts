import { expect, test } from '@jest/globals';
import { createPacedClock, eventually, useFaultScenes } from '@holdfast/scenario';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { outcomesOf } from './counts.ts';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { settled, type Policy } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  standIns: [claimCollector],
});
const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };

/**
 * The look is answered, then the API server has the write wait for longer than a look is good for, and the set is
 * orphaned meanwhile.
 */
test.concurrent(
  'A0: write waits out a Retry-After, its set is orphaned meanwhile -> never sent again',
  async () => {
    await using scene = await open();
    const { plan, hand, start } = scene;
    await hand.createSet({ replicas: 1, policy });
    const claim = await hand.createClaim('data-web-0');
    const writes = {
      ...ours,
      verb: 'patch',
      resource: 'persistentvolumeclaims',
      name: 'data-web-0',
    } as const;
    plan.on(writes, { kind: 'call', run: () => hand.deleteSet('Orphan') }, { times: 1 });
    plan.on(writes, { kind: 'status', code: 429, retryAfterSeconds: 3 }, { times: 1 });
    const controller = await start({ clientClock: createPacedClock(4) });
    await eventually(
      'the write was given up, or made',
      async () => (await outcomesOf(controller, 'add')).length > 0,
    );
    expect(await outcomesOf(controller, 'add')).toEqual(['conflict']);
    await settled(hand);
    const { resourceVersion, uid } = (await hand.findClaim('data-web-0'))?.metadata ?? {};
    expect({ resourceVersion, uid }).toEqual({
      resourceVersion: claim.metadata.resourceVersion,
      uid: claim.metadata.uid,
    });
  },
  120_000,
);

/** Time stands still but for the Retry-After, so that nothing but this write confirms. */
test.concurrent(
  'write that confirms a reference waits out a Retry-After -> not sent again, since the set might be orphaned by now',
  async () => {
    await using scene = await open();
    const { plan, hand, start } = scene;
    await hand.createSet({ replicas: 1, policy });
    await hand.createClaim('data-web-0');
    const writes = { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' } as const;
    plan.on(writes, { kind: 'status', code: 429, retryAfterSeconds: 3 }, { from: 2, times: 1 });
    const clock = createFakeClock();
    const controller = await start({ clock, clientClock: clock });
    await eventually('the write has to wait', () => plan.injected.length === 1);
    await eventually('the write was given up, or made', async () => {
      await clock.advance(100);
      return (await outcomesOf(controller, 'confirm')).length > 0;
    });
    expect(await outcomesOf(controller, 'confirm')).toEqual(['conflict']);
  },
  120_000,
);
