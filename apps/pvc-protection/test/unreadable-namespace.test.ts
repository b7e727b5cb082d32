import { expect, test } from '@jest/globals';
import { volumeAttachments } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { faultyApp, ours } from './faulty-app.ts';
import { protection } from './objects.ts';
import { handOf, settled } from './stage.ts';

const open = useFaultScenes(faultyApp);

test('B1: pods of one namespace can not be read -> claims of the other are worked on, its own are not before they can be', async () => {
  const { plan, stage, namespace, hand } = await open();
  const { client } = stage;
  const closed = await stage.namespace();
  const there = handOf(client, closed);
  await there.createClaim('new');
  // Terminating, unused, and woken by what has no namespace.
  await there.createClaim('old', { finalizers: [protection], volumeName: 'disk' });
  await there.deleteClaim('old');
  await client.create(volumeAttachments, undefined, {
    metadata: { name: 'attached' },
    spec: { attacher: 'example.com', nodeName: 'node-1', source: { persistentVolumeName: 'disk' } },
  });
  plan.on(
    { ...ours, verb: ['list', 'watch'], resource: 'pods', namespace: closed },
    { kind: 'status', code: 403, reason: 'Forbidden' },
  );
  const { registry } = await stage.startController(
    { namespaces: [namespace, closed], featureGates: 'WaitForVolumeDetach=true' },
    { clock: stage.fastClock() },
  );
  await settled(hand);
  await client.delete(volumeAttachments, { name: 'attached' });
  await settled(hand);
  expect(plan.injected.length).toBeGreaterThan(0);
  expect(await there.finalizersOf('new')).toStrictEqual([]);
  expect(await there.finalizersOf('old')).toEqual([protection]);
  const failed = await registry.getSingleMetric('controller_runtime_reconcile_errors_total')?.get();
  expect(failed?.values.filter(({ value }) => value > 0)).toStrictEqual([]);
  plan.clear();
  await eventually('the unused claim is released', () => there.claimIsGone('old'));
  await eventually('the other is protected', async () =>
    (await there.finalizersOf('new')).includes(protection),
  );
});
