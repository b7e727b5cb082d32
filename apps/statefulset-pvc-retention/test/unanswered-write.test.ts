import { expect, test } from '@jest/globals';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp, ours } from './faulty-app.ts';
import { settled, type Policy } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  standIns: [claimCollector],
});
const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };

test('A0: set orphaned between look and write, the write takes effect and its answer is lost -> taken back, the claim survives', async () => {
  const { plan, hand, start, standIns } = await open();
  await hand.createSet({ replicas: 1, policy });
  const claim = await hand.createClaim('data-web-0');
  const [collector] = standIns;
  const write = {
    ...ours,
    verb: 'patch',
    resource: 'persistentvolumeclaims',
    name: 'data-web-0',
  } as const;
  const orphan = async (): Promise<void> => {
    await hand.deleteSet('Orphan');
    await hand.setGone();
    await collector?.pause();
  };
  plan.on(write, { kind: 'call', run: orphan }, { times: 1 });
  plan.on(write, { kind: 'reset', when: 'after' }, { times: 1 });
  await start();
  await eventually('the reference was added, and taken back or left', async () => {
    const found = await hand.findClaim('data-web-0');
    return found?.metadata.resourceVersion !== claim.metadata.resourceVersion;
  });
  await eventually('it is taken back', async () => (await hand.ownersOf('data-web-0'))?.length === 0);
  collector?.resume();
  await settled(hand);
  expect(await hand.dataOf('data-web-0')).toBe(claim.metadata.uid);
}, 60_000);
