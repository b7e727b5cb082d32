import { expect, test } from '@jest/globals';
import { persistentVolumeClaims, statefulSets } from '@holdfast/core';
import { useFaultScenes } from '@holdfast/scenario';
import { faultyApp, stockControllers } from './faulty-app.ts';
import { settled, type Policy } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  options: { featureGates: 'DeletionGracePeriod=true' },
  standIns: stockControllers,
});
const policy: Policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };

test('S3: claim waits for the end of its window, its pod is gone, the window is taken away -> kept', async () => {
  const { hand, namespace, stage, start } = await open();
  await start();
  await hand.createSet({ policy, annotations: { 'holdfast.dev/scale-down-grace': '1h' } });
  await hand.running('web-0', 'web-1');
  const data = await hand.dataOf('data-web-1');
  await hand.scale(1);
  await hand.marked('data-web-1');
  await hand.running('web-0');
  await settled(hand);
  await stage.client.patch(statefulSets, { namespace, name: 'web' }, [
    { op: 'remove', path: '/metadata/annotations/holdfast.dev~1scale-down-grace' },
  ]);
  await hand.unmarked('data-web-1');
  await settled(hand);
  expect(await hand.dataOf('data-web-1')).toBe(data);
  expect(await hand.ownersOf('data-web-1')).toStrictEqual([]);
}, 60_000);

test('S4: claim comes back from a backup with its old mark -> the mark is taken away, the claim is kept', async () => {
  const { hand, namespace, stage, start } = await open();
  await hand.createSet({ replicas: 1, policy, annotations: { 'holdfast.dev/scale-down-grace': '720h' } });
  await hand.running('web-0');
  const { metadata } = await stage.client.create(persistentVolumeClaims, namespace, {
    metadata: {
      name: 'data-web-1',
      annotations: {
        'holdfast.dev/delete-after': '2025-01-01T00:00:00.000Z',
        'holdfast.dev/delete-after-uid': crypto.randomUUID(),
      },
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await start();
  await hand.unmarked('data-web-1');
  await settled(hand);
  expect(await hand.dataOf('data-web-1')).toBe(metadata.uid);
}, 60_000);
