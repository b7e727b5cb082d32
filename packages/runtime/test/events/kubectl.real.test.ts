import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { configMaps } from '@holdfast/core';
import { connect, createEventRecorder, loadKubeConfig, type ApiClient } from '@holdfast/runtime';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';

const missing = controlPlaneMissing({ backend: 'real' });
(missing === undefined ? describe : describe.skip)(`what kubectl shows of events ${missing ?? ''}`, () => {
  let plane: RealControlPlane;
  let folder: string;
  let client: ApiClient;

  beforeAll(async () => {
    plane = await startRealControlPlane({});
    folder = await mkdtemp(join(tmpdir(), 'holdfast-kubectl-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, plane.kubeconfig);
    client = connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig }),
      registry: new Registry(),
      program: 'events',
      version: '0',
    });
  }, 90_000);

  afterAll(async () => {
    await client.close();
    await plane.stop();
    await rm(folder, { recursive: true });
  }, 30_000);

  test('series of events about an object -> in its description and in the list of events, with their count', async () => {
    const config = await client.create(configMaps, 'default', { metadata: { name: 'settings' } });
    const recorder = createEventRecorder({
      client,
      app: { name: 'events', domain: 'acme.example' },
      logger: pino({ level: 'silent' }),
    });
    const stop = new AbortController();
    for (let time = 0; time < 3; time++) {
      const text = { type: 'Warning', reason: 'Held', action: 'Hold', note: 'still in use' } as const;
      recorder.record(configMaps, config, text);
    }
    stop.abort(new Error('all is recorded'));
    await recorder.run(stop.signal);
    const described = await plane.kubectl(['describe', 'configmap', 'settings']);
    expect(described.stdout).toMatch(
      /Warning\s+Held\s+\S+ \(x3 over \S+\)\s+acme\.example\/events\s+still in use/,
    );
    const listed = await plane.kubectl(['events', '--for', 'configmap/settings']);
    expect(listed.stdout).toMatch(/Warning\s+Held\s+ConfigMap\/settings\s+still in use/);
    const got = await plane.kubectl(['get', 'events', '--field-selector', 'involvedObject.name=settings']);
    expect(got.stdout).toMatch(/Warning\s+Held\s+configmap\/settings\s+still in use/);
  }, 30_000);
});
