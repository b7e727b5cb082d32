import { expect, test } from '@jest/globals';
import { pods, statefulSets } from '@holdfast/core';
import { eventually, useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp } from './faulty-app.ts';
import { collected } from './stage.ts';

const open = useFaultScenes({
  ...faultyApp,
  standIns: [claimCollector],
});

test('set orphaned in the middle of a scale-down while none of ours runs, a finalizer of others holds it up -> the claim survives its pod', async () => {
  const { stage, hand, namespace, start } = await open();
  const set = await hand.createSet({
    replicas: 1,
    policy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
  });
  const { metadata } = await hand.createClaim('data-web-1');
  const controller = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: set.metadata.uid };
  await stage.client.create(pods, namespace, {
    metadata: { name: 'web-1', ownerReferences: [{ ...controller, controller: true }] },
    spec: {
      containers: [{ name: 'c', image: 'example.com/none' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-1' } }],
    },
  });
  await stage.client.patch(statefulSets, { namespace, name: 'web' }, [
    { op: 'add', path: '/metadata/finalizers', value: ['example.com/backup'] },
  ]);
  const first = await start();
  await hand.owned('data-web-1', 'Pod web-1*');
  await first.abandon();
  await hand.deleteSet('Orphan');
  await eventually('its dependents are orphaned', async () => {
    const { finalizers } = (await hand.findSet())?.metadata ?? {};
    return finalizers?.join() === 'example.com/backup';
  });
  await start();
  await hand.owned('data-web-1');
  await hand.deletePod('web-1', 0);
  await collected(hand);
  expect(await hand.dataOf('data-web-1')).toBe(metadata.uid);
}, 60_000);
