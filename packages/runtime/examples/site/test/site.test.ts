import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  configMaps,
  controllerOf,
  eventsV1,
  findCondition,
  isTerminating,
  leases,
  statefulSets,
  type ApiResource,
  type KubernetesObject,
  type StatefulSet,
} from '@holdfast/core';
import { find, isForbidden, validatingPath } from '@holdfast/runtime';
import { testOperator, type TestOperator } from '@holdfast/runtime/testing';
import { command, siteOperator, sites, webhooks } from '../src/site.ts';

const configuration = {
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'site-operator' },
  webhooks: [
    {
      name: 'sites.example.com',
      clientConfig: {
        service: { namespace: 'site-operator', name: 'site-operator', path: validatingPath(sites) },
      },
      rules: [
        {
          apiGroups: ['example.com'],
          apiVersions: ['v1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['sites'],
        },
      ],
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
} as const;

const start = (...flags: readonly string[]): Promise<TestOperator> =>
  testOperator({
    command,
    compose: siteOperator,
    webhooks,
    webhookConfigurations: [configuration],
    resources: [sites],
    flags: ['--webhook-configuration-name=site-operator', ...flags],
  });

const ref = { namespace: 'default', name: 'web' };
const spec = { host: 'www.example.com', replicas: 2, content: '<h1>Hello</h1>' };

async function read<T extends KubernetesObject>(t: TestOperator, resource: ApiResource<T>): Promise<T> {
  const found = await find(t.client, resource, ref);
  assert.ok(found, `${resource.kind} is not there`);
  return found;
}

/** Does what the StatefulSet controller and kubelets do. */
async function runPods(t: TestOperator): Promise<StatefulSet> {
  const { metadata, spec: wanted } = await read(t, statefulSets);
  const replicas = wanted?.replicas ?? 0;
  const status = { observedGeneration: metadata.generation, replicas, readyReplicas: replicas };
  const written = await t.client.mergePatch(statefulSets, ref, { status }, { subresource: 'status' });
  assert.equal(written.kind, 'written');
  return read(t, statefulSets);
}

await test('site is made -> its map and its set, whose controller it is; pods are ready -> so is the site', async () => {
  await using t = await start();
  const site = await t.client.create(sites, 'default', { metadata: { name: 'web' }, spec });
  await t.idle();
  const [map, set] = [await read(t, configMaps), await read(t, statefulSets)];
  assert.deepEqual(map.data, { 'index.html': spec.content });
  assert.equal(set.spec?.replicas, 2);
  assert.deepEqual(
    [map, set].map((child) => controllerOf(child)?.uid),
    [site.metadata.uid, site.metadata.uid],
  );
  const waiting = (await read(t, sites)).status;
  assert.equal(waiting?.readyReplicas, 0);
  assert.equal(findCondition(waiting.conditions, 'Ready')?.status, 'False');

  await runPods(t);
  await t.idle();
  const served = (await read(t, sites)).status;
  assert.equal(served?.readyReplicas, 2);
  const condition = findCondition(served.conditions, 'Ready');
  assert.deepEqual(
    [condition?.status, condition?.message, condition?.observedGeneration],
    ['True', '2 of 2 pods are ready', 1],
  );
  assert.match(await t.registry.metrics(), /^sites_served_total 1$/m);
  await t.eventually(async () => {
    const { items } = await t.client.list(eventsV1, { namespace: 'default' });
    assert.deepEqual(
      items.filter(({ reason }) => reason === 'Served').map(({ note }) => note),
      ['www.example.com is up'],
    );
  });
});

await test('children are changed or deleted by others -> as they were; site is left alone -> nothing more is asked', async () => {
  await using t = await start();
  await t.client.create(sites, 'default', { metadata: { name: 'web' }, spec });
  await t.idle();
  await t.client.mergePatch(statefulSets, ref, { spec: { replicas: 7 } });
  await t.client.delete(configMaps, ref);
  await t.idle();
  assert.equal((await read(t, statefulSets)).spec?.replicas, 2);
  assert.equal((await read(t, configMaps)).data?.['index.html'], spec.content);
  const asked = t.requests.filter(({ verb }) => verb === 'patch').length;
  await t.client.mergePatch(sites, ref, { metadata: { labels: { team: 'web' } } });
  await t.idle();
  assert.equal(t.requests.filter(({ verb }) => verb === 'patch').length, asked);
});

await test('site is deleted -> its pods are stopped first, and it goes when there are none', async () => {
  await using t = await start();
  await t.client.create(sites, 'default', { metadata: { name: 'web' }, spec });
  await t.idle();
  await runPods(t);
  await t.idle();
  await t.client.delete(sites, ref);
  await t.eventually(async () => assert.equal((await read(t, statefulSets)).spec?.replicas, 0));
  assert.ok(isTerminating(await read(t, sites)));
  await runPods(t);
  await t.eventually(async () => assert.equal(await find(t.client, sites, ref), undefined));
});

await test('map of that name is another’s -> left alone, and the site goes when it is deleted', async () => {
  await using t = await start('--log-level=error');
  await t.client.create(configMaps, 'default', { metadata: { name: 'web' }, data: { precious: 'yes' } });
  await t.client.create(sites, 'default', { metadata: { name: 'web' }, spec });
  await t.eventually(() =>
    assert.match(JSON.stringify(t.log), /ConfigMap .*default\/web.* is there already/),
  );
  await t.client.delete(sites, ref);
  await t.eventually(async () => assert.equal(await find(t.client, sites, ref), undefined));
  assert.deepEqual((await read(t, configMaps)).data, { precious: 'yes' });
  assert.equal(await find(t.client, statefulSets, ref), undefined);
});

await test('site changes its host -> denied by the webhook; its content -> allowed', async () => {
  await using t = await start();
  await t.client.create(sites, 'default', { metadata: { name: 'web' }, spec });
  await t.idle();
  await assert.rejects(
    t.client.mergePatch(sites, ref, { spec: { host: 'other.example.com' } }),
    (error) => isForbidden(error) && error.message.includes('a site keeps its host'),
  );
  await t.client.mergePatch(sites, ref, { spec: { content: 'new' } });
  await t.idle();
  assert.equal((await read(t, configMaps)).data?.['index.html'], 'new');
});

await test('site without content -> pods, and none with gate SleepingSites', async () => {
  for (const [flags, replicas] of [
    [[], 2],
    [['--feature-gates=SleepingSites=true'], 0],
  ] as const) {
    await using t = await start(...flags);
    await t.client.create(sites, 'default', { metadata: { name: 'web' }, spec: { ...spec, content: '' } });
    await t.idle();
    assert.equal((await read(t, statefulSets)).spec?.replicas, replicas);
  }
});

await test('leader election -> it works when it holds the lease', async () => {
  await using t = await start(
    '--leader-elect=true',
    '--leader-elect-resource-namespace=default',
    '--leader-elect-resource-name=site-operator',
  );
  const { spec: lease } = await t.client.get(leases, { namespace: 'default', name: 'site-operator' });
  assert.ok(lease?.holderIdentity);
  await t.client.create(sites, 'default', { metadata: { name: 'web' }, spec });
  await t.idle();
  assert.equal((await read(t, statefulSets)).spec?.replicas, 2);
});
