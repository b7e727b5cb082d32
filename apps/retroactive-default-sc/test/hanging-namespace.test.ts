import { expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { eventually, useFaultScenes, useHangingWrites } from '@holdfast/scenario';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { faultyApp, ours } from './faulty-app.ts';
import { settled } from './stage.ts';

const hangWrites = useHangingWrites();
const open = useFaultScenes(faultyApp);
const patches = { verb: 'patch', resource: 'persistentvolumeclaims' } as const;

test('writes of a namespace with 40 claims hang -> a claim of another gets its class', async () => {
  const { plan, stage, handOf, start, hand } = await open();
  await hand.createClass('gold');
  // By the machine's time, of which a reconcile that hangs has a minute.
  await start({ clock: systemClock });
  await settled(hand);
  const slow = await stage.namespace();
  const hanging = hangWrites(plan, { ...ours, ...patches, namespace: slow });
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => handOf(slow).createClaim(`data-${String(index)}`)),
  );
  await eventually('as many writes hang as one namespace may have', () => hanging.count === 10);
  await hand.createClaim('data');
  await eventually('the claim has a class', async () => (await hand.classOf('data')) === 'gold');
  expect(hanging.count).toBe(10);
});

test('the default comes while claims of two namespaces wait, writes of the first hang -> those of the second get it', async () => {
  const { plan, stage, namespace, handOf, start, hand } = await open();
  await hand.createClass('silver');
  // By the machine's time, of which a reconcile that hangs has a minute.
  await start({ clock: systemClock });
  await settled(hand);
  await hand.deleteClass('silver');
  const slow = await stage.namespace();
  const hanging = hangWrites(plan, { ...ours, ...patches, namespace: slow });
  for (const where of [slow, namespace]) {
    for (let index = 0; index < 40; index++) {
      await handOf(where).createClaim(`data-${String(index)}`);
    }
  }
  await hand.createClass('gold');
  await eventually('all claims of the second namespace have a class', async () => {
    const found = await Promise.all(
      Array.from({ length: 40 }, (_, index) => hand.classOf(`data-${String(index)}`)),
    );
    return found.every((className) => className === 'gold');
  });
  expect(hanging.count).toBeLessThanOrEqual(10);
});

test('the dry run at the start hangs in one namespace -> a claim of another gets its class', async () => {
  const { plan, stage, handOf, start, hand } = await open();
  const slow = await stage.namespace();
  await hand.createClass('gold');
  await handOf(slow).createClaim('data');
  const hanging = hangWrites(plan, { ...patches, namespace: slow });
  const clock = createFakeClock();
  const { registry } = await start({ clock });
  await eventually('the dry run hangs', () => hanging.count === 1);
  await hand.createClaim('data');
  const both = /^controller_runtime_active_workers\{controller="retroactive-default-sc"\} 2$/m;
  await eventually('the claim waits for the dry run', async () => both.test(await registry.metrics()));
  await clock.advance(2_000);
  await eventually('the claim has a class', async () => (await hand.classOf('data')) === 'gold');
});
