import { afterEach, expect, test } from '@jest/globals';
import { configMaps } from '@holdfast/core';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { Registry } from 'prom-client';
import { connect } from '../../src/client/connect.ts';
import { until } from '../until.ts';
import { answerJson, answerStatus, startLocalServer } from './local-server.ts';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

test('clock of a test, answer with a Retry-After of 20 s -> sent again when that clock has moved on by them', async () => {
  const data = { kind: 'ConfigMap', metadata: { name: 'data', uid: 'u', resourceVersion: '1' } };
  const server = await startLocalServer((response, _request, number) =>
    number === 0
      ? answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '20' })
      : answerJson(response, 200, data),
  );
  ending.push(() => server.close());
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser({ name: 'c', server: server.origin, skipTLSVerify: true }, { name: 'u' });
  const clock = createFakeClock();
  const client = connect({
    kubeConfig: () => kubeConfig,
    registry: new Registry(),
    program: 'p',
    version: '0',
    clock,
  });
  ending.push(() => client.close());
  const read = client.get(configMaps, { namespace: 'shop', name: 'data' });
  await until('the answer is waited out', () => server.requests.length === 1 && clock.pending > 0);
  await clock.advance(19_000);
  expect(server.requests).toHaveLength(1);
  await clock.advance(1_000);
  expect(await read).toMatchObject({ metadata: { uid: 'u' } });
  expect(server.requests).toHaveLength(2);
});
