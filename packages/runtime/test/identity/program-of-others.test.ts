import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  configMaps,
  eventsV1,
  leases,
  mutatingWebhookConfigurations,
  namespaces,
  secrets,
  type KubernetesObject,
  type ApiResource,
} from '@holdfast/core';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createInformerMetrics, type InformerMetrics } from '../../src/cache/informer-metrics.ts';
import { createInformer } from '../../src/cache/informer.ts';
import { connect } from '../../src/client/connect.ts';
import { loadKubeConfig } from '../../src/client/kubeconfig.ts';
import type { WritingClient } from '../../src/client/verbs.ts';

const main = fileURLToPath(new URL('../fixtures/acme-sites.ts', import.meta.url));
const node = ['--conditions=@holdfast/source', '--no-warnings', main];

let plane: EmbeddedControlPlane;
let folder: string;
let admin: WritingClient;
let child: ChildProcess | undefined;
let metrics: InformerMetrics;
let stop: AbortController;
let watches: Promise<void>[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'acme-'));
  plane = await startEmbeddedControlPlane({ tls: false });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig);
  const registry = new Registry();
  metrics = createInformerMetrics(registry);
  stop = new AbortController();
  watches = [];
  admin = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig, insecureHttp: true }),
    registry,
    program: 'admin',
    version: '0',
  });
});
afterEach(async () => {
  child?.kill('SIGKILL');
  stop.abort(new Error('end of the test'));
  await Promise.all(watches);
  await admin.close();
  await plane.stop();
  await rm(folder, { recursive: true });
});

/** The first object of a kind that is so, as a watch shows it: the process takes its time on a busy machine. */
function seen<T extends KubernetesObject>(
  resource: ApiResource<T>,
  holds: (object: T) => boolean,
): Promise<T> {
  const found = Promise.withResolvers<T>();
  const look = (object: T): void => {
    if (holds(object)) {
      found.resolve(object);
    }
  };
  const informer = createInformer({ client: admin, resource, logger: pino({ level: 'silent' }), metrics });
  informer.addHandler({ added: look, updated: (_before, after) => look(after) });
  watches.push(informer.run(stop.signal));
  return found.promise;
}

const called =
  (name: string) =>
  ({ metadata }: KubernetesObject): boolean =>
    metadata.name === name;

test('program of another author, with a domain -> nothing that it puts out has a name of ours', async () => {
  await admin.create(namespaces, undefined, { metadata: { name: 'shop' } });
  await admin.create(configMaps, 'shop', { metadata: { name: 'site' } });
  await admin.create(mutatingWebhookConfigurations, undefined, {
    metadata: { name: 'acme-sites' },
    webhooks: [
      {
        name: 'sites.acme.example',
        clientConfig: { url: 'https://127.0.0.1:1/mutate' },
        rules: [],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  let log = '';
  child = spawn(process.execPath, node, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      ACME_SITES_KUBECONFIG: join(folder, 'kubeconfig'),
      ACME_SITES_INSECURE_HTTP: 'true',
      ACME_SITES_METRICS_BIND_ADDRESS: '127.0.0.1:0',
      ACME_SITES_HEALTH_PROBE_BIND_ADDRESS: '0',
      ACME_SITES_WEBHOOK_BIND_ADDRESS: '127.0.0.1:0',
      ACME_SITES_WEBHOOK_SELF_SIGNED: 'true',
      ACME_SITES_WEBHOOK_NAMESPACE: 'shop',
      ACME_SITES_LEADER_ELECT_RESOURCE_NAMESPACE: 'shop',
      ACME_SITES_LOG_LEVEL: 'debug',
    },
  });
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));

  const lease = await seen(leases, called('acme-sites'));
  const secret = await seen(secrets, called('acme-sites-webhook'));
  const page = await seen(configMaps, called('page'));
  const configuration = await seen(mutatingWebhookConfigurations, ({ webhooks = [] }) =>
    webhooks.every(({ clientConfig }) => clientConfig.caBundle !== undefined),
  );
  const event = await seen(eventsV1, ({ reason }) => reason === 'Built');
  const address = /"purpose":"metrics","address":"([^"]+)"/.exec(log)?.[1] ?? '';
  const pages = await Promise.all(
    ['metrics', 'flagz', 'statusz'].map(async (path) => (await fetch(`http://${address}/${path}`)).text()),
  );
  child.kill('SIGTERM');
  await once(child, 'close');
  const { stdout: help } = await promisify(execFile)(process.execPath, [...node, '--help']);
  const agents = new Set(plane.apiServer.requests.all.map(({ userAgent }) => userAgent));
  agents.delete(`admin/0 (${process.platform}/${process.arch})`);

  expect([...agents]).toEqual([`acme-sites/1.2.3 (${process.platform}/${process.arch})`]);
  expect(event.reportingController).toBe('acme.example/acme-sites');
  expect(page.metadata.managedFields).toEqual([
    expect.objectContaining({ manager: 'acme-sites', operation: 'Apply' }),
  ]);
  expect(pages[0]).toContain('\nacme_sites_build_info{app="acme-sites",version="1.2.3"} 1\n');
  expect(pages[0]).toContain('\nacme_sites_events_total{result="sent"} ');
  expect(help).toContain('ACME_SITES_<NAME>');
  const all = JSON.stringify([lease, secret, page, configuration, event, pages, log, help]);
  expect(all).toContain('acme-sites');
  expect(all).not.toMatch(/holdfast/i);
}, 120_000);
