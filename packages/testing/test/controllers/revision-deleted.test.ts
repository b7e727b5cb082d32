import { afterEach, expect, test } from '@jest/globals';
import { statefulSets } from '@holdfast/core';
import { createApiClient } from '../../src/controllers/api-client.ts';
import { startController } from '../../src/controllers/controller.ts';
import { controllerRevisions } from '../../src/controllers/stateful-set/revisions.ts';
import { statefulSetController } from '../../src/controllers/stateful-set/stateful-set-controller.ts';
import { startEmbeddedControlPlane } from '../../src/embedded-control-plane.ts';

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.stop();
  }
});

test('revision of a set deleted, set as it was -> not made again: else the garbage collector never ends with a set in the foreground', async () => {
  const plane = await startEmbeddedControlPlane({ tls: false });
  opened.push(plane);
  const controller = await startController(plane, statefulSetController());
  opened.push(controller);
  const client = createApiClient(plane.kubeconfig, 'test');
  const labels = { app: 's' };
  await client.create(statefulSets, {
    metadata: { name: 's', namespace: 'default' },
    spec: {
      replicas: 0,
      serviceName: 's',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'none' }] } },
    },
  });
  await controller.idle();
  const [revision] = (await client.list(controllerRevisions)).items;
  await client.delete(controllerRevisions, { namespace: 'default', name: revision?.metadata.name ?? '' });
  await controller.idle();
  expect((await client.list(controllerRevisions)).items).toStrictEqual([]);
});
