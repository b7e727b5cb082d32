import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { configMaps } from '@holdfast/core';
import { createEventRecorder, type ApiClient } from '@holdfast/runtime';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { pino } from 'pino';
import { connectPlane, type ConnectedPlane } from '../connected-plane.ts';

const missing = controlPlaneMissing({ backend: 'real' });
(missing === undefined ? describe : describe.skip)(`what kubectl shows of events ${missing ?? ''}`, () => {
  let connected: ConnectedPlane<RealControlPlane>;
  let client: ApiClient;

  beforeAll(async () => {
    connected = await connectPlane(startRealControlPlane({}));
    ({ client } = connected);
  }, 90_000);

  afterAll(() => connected.close(), 30_000);

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
    const described = await connected.plane.kubectl(['describe', 'configmap', 'settings']);
    expect(described.stdout).toMatch(
      /Warning\s+Held\s+\S+ \(x3 over \S+\)\s+acme\.example\/events\s+still in use/,
    );
    const listed = await connected.plane.kubectl(['events', '--for', 'configmap/settings']);
    expect(listed.stdout).toMatch(/Warning\s+Held\s+ConfigMap\/settings\s+still in use/);
    const got = await connected.plane.kubectl([
      'get',
      'events',
      '--field-selector',
      'involvedObject.name=settings',
    ]);
    expect(got.stdout).toMatch(/Warning\s+Held\s+configmap\/settings\s+still in use/);
  }, 30_000);
});
