import { expect, test } from '@jest/globals';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { faultyApp, ours } from './faulty-app.ts';
import { handOf, settled } from './stage.ts';

const open = useFaultScenes(faultyApp);

test('B1: claims of one namespace can not be read -> those of the other get their class, its own when they can be', async () => {
  const { plan, stage, namespace, hand } = await open();
  const closed = await stage.namespace();
  const there = handOf(stage.client, closed);
  await there.createClaim('waiting');
  await hand.createClass('gold');
  plan.on(
    { ...ours, verb: ['list', 'watch'], resource: 'persistentvolumeclaims', namespace: closed },
    { kind: 'status', code: 403, reason: 'Forbidden' },
  );
  await stage.startController({ namespaces: [namespace, closed] }, { clock: stage.fastClock() });
  await settled(hand);
  expect(plan.injected.length).toBeGreaterThan(0);
  expect(await there.classOf('waiting')).toBeUndefined();
  plan.clear();
  await eventually('it has its class', async () => (await there.classOf('waiting')) === 'gold');
});
