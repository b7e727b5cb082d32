import { expect, test } from '@jest/globals';
import { pods } from '@holdfast/core';
import { useFaultScenes } from '@holdfast/scenario';
import { claimCollector, faultyApp } from './faulty-app.ts';
import { atRest, judged } from './stage.ts';

const open = useFaultScenes({ ...faultyApp, standIns: [claimCollector] });

test('pod that no workload made controls a claim that it is named in -> the reference stays, and the claim goes with the pod', async () => {
  const { stage, hand, namespace, start } = await open();
  await start();
  const { metadata } = await stage.client.create(pods, namespace, {
    metadata: { name: 'worker-0' },
    spec: {
      containers: [{ name: 'c', image: 'example.com/none' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-worker-0' } }],
    },
  });
  await hand.createClaim('data-worker-0', [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'worker-0',
      uid: metadata.uid,
      controller: true,
      blockOwnerDeletion: false,
    },
  ]);
  await judged(hand);
  await atRest(stage);
  expect(await hand.ownersOf('data-worker-0')).toEqual(['Pod worker-0*']);
  await hand.deletePod('worker-0', 0);
  await hand.gone('data-worker-0');
});
