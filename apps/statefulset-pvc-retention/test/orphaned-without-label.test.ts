import { expect, test } from '@jest/globals';
import { pods } from '@holdfast/core';
import { databases, openDatabases } from './databases.ts';
import { collected } from './stage.ts';

test('kind that does not label its pods, orphaned in the middle of a scale-down while none of ours runs -> the claim survives its pod', async () => {
  const { stage, hand, start, createDatabase } = await openDatabases();
  const { namespace } = hand;
  const first = await start();
  const { uid } = (await createDatabase('db', 1)).metadata;
  const { metadata } = await hand.createClaim('data-db-1');
  const controller = { apiVersion: 'example.com/v1', kind: 'Database', name: 'db', uid, controller: true };
  await stage.client.create(pods, namespace, {
    metadata: { name: 'db-1', ownerReferences: [controller] },
    spec: {
      containers: [{ name: 'c', image: 'example.com/none' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }],
    },
  });
  await hand.owned('data-db-1', 'Pod db-1*');
  await first.abandon();
  await stage.client.delete(databases, { namespace, name: 'db' }, { propagationPolicy: 'Orphan' });
  await collected(hand);
  await start();
  await hand.owned('data-db-1');
  await hand.deletePod('db-1', 0);
  await collected(hand);
  expect(await hand.dataOf('data-db-1')).toBe(metadata.uid);
}, 60_000);
