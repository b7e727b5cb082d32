import { expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { eventually, useFaultScenes, useHangingWrites } from '@holdfast/scenario';
import { faultyApp } from './faulty-app.ts';
import { protection } from './objects.ts';

const hangWrites = useHangingWrites();
const open = useFaultScenes({
  ...faultyApp,
  tls: true,
});

test('writes of a namespace with 40 claims hang -> claims of another are protected, and let go of', async () => {
  const { plan, stage, namespace, handOf, start, hand } = await open();
  const slow = await stage.namespace();
  const hanging = hangWrites(plan, { verb: 'patch', resource: 'persistentvolumeclaims', namespace: slow });
  for (let index = 0; index < 40; index++) {
    await handOf(slow).createClaim(`data-${String(index)}`);
  }
  // By the machine's time, of which a reconcile that hangs has a minute.
  await start({ clock: systemClock });
  await eventually('as many writes hang as one namespace may have', () => hanging.count === 10);
  await hand.createClaim('data');
  await eventually(`the claim of ${namespace} is protected`, async () =>
    (await hand.finalizersOf('data')).includes(protection),
  );
  await hand.deleteClaim('data');
  await eventually(`the claim of ${namespace} is gone`, () => hand.claimIsGone('data'));
  expect(hanging.count).toBe(10);
});
