import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { configMaps, pods, serviceAccounts } from '@holdfast/core';
import { createFaultPlan, startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';
import { connect } from '../../src/client/connect.ts';
import { evict } from '../../src/client/evict.ts';
import { find } from '../../src/client/find.ts';
import { loadKubeConfig } from '../../src/client/kubeconfig.ts';
import { podBinding, serviceAccountToken } from '../../src/client/subresource.ts';
import type { WritingClient } from '../../src/client/verbs.ts';

/*
 * A write is carried out and its answer is lost: it is not sent again, and what a second call comes to is what the
 * README's table of verbs says.
 */

let folder: string;
let plan: ReturnType<typeof createFaultPlan>;
let plane: EmbeddedControlPlane;
let client: WritingClient;

beforeEach(async () => {
  plan = createFaultPlan();
  plane = await startEmbeddedControlPlane({ faults: plan, tls: false });
  folder = await mkdtemp(join(tmpdir(), 'holdfast-lost-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig);
  const kubeConfig = () => loadKubeConfig({ kubeconfig, insecureHttp: true });
  client = connect({ kubeConfig, registry: new Registry(), program: 'lost', version: '0' });
  const { metadata } = await client.create(configMaps, 'default', map);
  version = metadata.resourceVersion;
  const spec = { containers: [{ name: 'c', image: 'pause' }] };
  const pod = await client.create(pods, 'default', { metadata: { name: 'web' }, spec });
  uid = pod.metadata.uid;
  await client.create(serviceAccounts, 'default', { metadata: { name: 'web' } });
});

afterEach(async () => {
  await client.close();
  await plane.stop();
  await rm(folder, { recursive: true });
});

let version: string;
let uid: string;
const map = { metadata: { name: 'data', labels: { app: 'web' } }, data: { colour: 'blue' } };
const ref = { namespace: 'default', name: 'data' };
const pod = { namespace: 'default', name: 'web' };
const red = { data: { colour: 'red' } };
const toNode = { target: { kind: 'Node', name: 'node-1' } };

test.each<{ what: string; write: () => Promise<unknown>; again: object | undefined }>([
  {
    what: 'apply',
    write: () => client.apply(configMaps, ref, red, { fieldManager: 'us', force: true }),
    again: { kind: 'written', object: red },
  },
  {
    what: 'merge patch',
    write: () => client.mergePatch(configMaps, ref, red),
    again: { kind: 'written', object: red },
  },
  {
    what: 'merge patch with a resourceVersion',
    write: () => client.mergePatch(configMaps, ref, { ...red, metadata: { resourceVersion: version } }),
    again: { kind: 'outdated' },
  },
  {
    what: 'update',
    write: () =>
      client.update(configMaps, ref, (each) =>
        each.data?.['colour'] === 'red' ? undefined : { ...each, ...red },
      ),
    again: { kind: 'unchanged', object: red },
  },
  {
    what: 'deletion of a collection',
    write: () => client.deleteCollection(configMaps, 'default', { labelSelector: 'app=web' }),
    again: undefined,
  },
  {
    what: 'binding',
    write: () => client.createSubresource(podBinding, pod, toNode),
    again: { kind: 'outdated' },
  },
  {
    what: 'eviction',
    write: () => evict(client, pod, { preconditions: { uid }, gracePeriodSeconds: 0 }),
    again: { kind: 'gone' },
  },
  {
    what: 'token request',
    write: () => client.createSubresource(serviceAccountToken, pod, { spec: {} }),
    again: { kind: 'written' },
  },
])(
  '$what, its answer is lost -> thrown, and a second call comes to what is documented',
  async ({ write, again }) => {
    const verb = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;
    plan.on({ verb }, { kind: 'reset', when: 'after' }, { nth: 1 });
    await expect(write()).rejects.toThrow();
    expect(plan.injected).toHaveLength(1);
    const answer = await write();
    if (again === undefined) {
      expect(answer).toBeUndefined();
      expect(await find(client, configMaps, ref)).toBeUndefined();
    } else {
      expect(answer).toMatchObject(again);
    }
  },
);

test('somebody writes between the read of an update and its write -> outdated, and theirs stays', async () => {
  const theirs = JSON.stringify({ data: { colour: 'green' } });
  const path = '/api/v1/namespaces/default/configmaps/data';
  const run = async (): Promise<void> => {
    await plane.apiServer.handle('PATCH', path, theirs, 'application/merge-patch+json');
  };
  plan.on({ verb: 'update', resource: 'configmaps' }, { kind: 'call', run }, { nth: 1 });
  const change = () => client.update(configMaps, ref, (each) => ({ ...each, ...red }));
  expect(await change()).toMatchObject({ kind: 'outdated' });
  expect((await client.get(configMaps, ref)).data).toEqual({ colour: 'green' });
  expect(await change()).toMatchObject({ kind: 'written', object: red });
});
