import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMaps, eventsV1, namespaces, parseFeatureGates } from '@holdfast/core';
import {
  connect,
  createEventMetrics,
  createEventRecorder,
  createMetricsRegistry,
  loadKubeConfig,
  parseCommandLine,
} from '@holdfast/runtime';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { commandOf, type AppName } from '../src/apps.ts';

/*
 * What administrators have written down: roles name leases and Secrets, alerts metrics, manifests variables, and audit
 * policies user agents. None of it may change with the runtime.
 */

let plane: EmbeddedControlPlane;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-names-'));
  plane = await startEmbeddedControlPlane({ tls: false });
  await writeFile(join(folder, 'kubeconfig'), plane.kubeconfig);
});
afterAll(async () => {
  await plane.stop();
  await rm(folder, { recursive: true });
});

const webhooks = {
  'webhook-service-name': 'holdfast-pvc-protection-webhook',
  'webhook-secret-name': 'holdfast-pvc-protection-webhook',
  'webhook-configuration-name': 'holdfast-pvc-protection',
};

test.each<{ app: AppName; flags: Readonly<Record<string, string>> }>([
  { app: 'pvc-protection', flags: { 'leader-elect-resource-name': 'holdfast-pvc-protection', ...webhooks } },
  { app: 'pv-reclaim-honor', flags: { 'leader-elect-resource-name': 'holdfast-pv-reclaim-honor' } },
  {
    app: 'retroactive-default-sc',
    flags: { 'leader-elect-resource-name': 'holdfast-retroactive-default-sc' },
  },
  {
    app: 'statefulset-pvc-retention',
    flags: { 'leader-elect-resource-name': 'holdfast-statefulset-pvc-retention' },
  },
])('$app -> its names in clusters as ever', async ({ app, flags }) => {
  const command = commandOf(app);
  const line = parseCommandLine(command, [], { HOLDFAST_NAMESPACES: app });
  const texts = line.kind === 'run' ? line.texts : {};
  const names = Object.keys(texts).filter((name) => name.endsWith('-name'));
  expect(Object.fromEntries(names.map((name) => [name, texts[name]]))).toEqual(flags);
  expect(texts['namespaces']).toBe(app);

  const registry = createMetricsRegistry(command, '1', parseFeatureGates({}, ''));
  const client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig: join(folder, 'kubeconfig'), insecureHttp: true }),
    registry,
    program: command,
    version: '1',
  });
  const events = createEventRecorder({
    client,
    app: command,
    logger: pino({ level: 'silent' }),
    metrics: createEventMetrics(registry, command),
  });
  const stop = new AbortController();
  const recording = events.run(stop.signal);
  await client.create(namespaces, undefined, { metadata: { name: app } });
  const map = await client.create(configMaps, app, { metadata: { name: 'map' } });
  events.record(configMaps, map, { type: 'Normal', reason: 'Tried', action: 'Try', note: 'Tried.' });
  stop.abort(new Error('end of the test'));
  await recording;
  const recorded = await client.list(eventsV1, { namespace: app });
  await client.close();

  expect(recorded.items.map(({ reportingController }) => reportingController)).toEqual([
    `holdfast.dev/${app}`,
  ]);
  const metrics = await registry.metrics();
  expect(metrics).toContain(`holdfast_build_info{app="${app}",version="1"} 1`);
  expect(metrics).toContain('holdfast_events_total{result="sent"} 1');
  const agent = `${app}/1 (${process.platform}/${process.arch}) holdfast`;
  expect(plane.apiServer.requests.count({ userAgent: agent, resource: 'events', verb: 'create' })).toBe(1);
});
