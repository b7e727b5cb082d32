import { afterEach, expect, test } from '@jest/globals';
import { configMaps, secrets, type OwnerReference } from '@holdfast/core';
import { createApiClient } from '../../src/controllers/api-client.ts';
import { startController } from '../../src/controllers/controller.ts';
import { garbageCollectorOf } from '../../src/controllers/garbage-collector/garbage-collector.ts';
import { startEmbeddedControlPlane } from '../../src/embedded-control-plane.ts';

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.stop();
  }
});

test('ConfigMaps alone are followed, the owner of one and of a Secret is deleted -> the ConfigMap goes, the Secret stays, no other kind is listed', async () => {
  const plane = await startEmbeddedControlPlane({ tls: false });
  opened.push(plane);
  const collector = await startController(plane, garbageCollectorOf('ConfigMap'));
  opened.push(collector);
  expect(plane.apiServer.requests.all.filter(({ verb }) => verb === 'list')).toMatchObject([
    { resource: 'configmaps' },
  ]);
  const client = createApiClient(plane.kubeconfig, 'test');
  const { metadata } = await client.create(configMaps, { metadata: { name: 'owner', namespace: 'default' } });
  const owner: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid };
  const owned = { metadata: { name: 'owned', namespace: 'default', ownerReferences: [owner] } };
  await client.create(configMaps, owned);
  await client.create(secrets, owned);
  await client.delete(configMaps, { namespace: 'default', name: 'owner' });
  await collector.idle();
  const ref = { namespace: 'default', name: 'owned' };
  expect(await client.get(configMaps, ref)).toBeUndefined();
  expect(await client.get(secrets, ref)).toBeDefined();
});
