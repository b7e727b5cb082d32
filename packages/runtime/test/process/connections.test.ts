import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { configMaps } from '@holdfast/core';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { guardedWrite } from '../../src/client/guarded-write.ts';
import { TenureOver } from '../../src/client/tenure.ts';
import { appCommand } from '../../src/flags/app-command.ts';
import { parseCommandLine } from '../../src/flags/command-line.ts';
import { openConnections, type Connections } from '../../src/process/connections.ts';
import {
  answerJson,
  answerStatus,
  startLocalServer,
  type Answer,
  type LocalServer,
} from '../client/local-server.ts';

const ref = { namespace: 'shop', name: 'data' };

let folder: string;
let server: LocalServer;
let connections: Connections | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-connections-'));
});
afterEach(async () => {
  const { client, leases, callers } = connections ?? {};
  await Promise.all([client?.close(), leases?.close(), callers?.close()]);
  connections = undefined;
  await server.close();
  await rm(folder, { recursive: true });
});

async function open(answer: Answer, argv: readonly string[] = []): Promise<Connections> {
  server = await startLocalServer(answer);
  const kubeconfig = join(folder, 'kubeconfig');
  const named = (name: string, key: string, value: object): readonly Record<string, unknown>[] => [
    { name, [key]: value },
  ];
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'here',
      clusters: named('here', 'cluster', { server: server.origin }),
      users: named('me', 'user', {}),
      contexts: named('here', 'context', { cluster: 'here', user: 'me' }),
    }),
  );
  const command = appCommand({ name: 'app', version: '1', description: 'An app.', gates: {}, flags: {} });
  const line = parseCommandLine(command, [`--kubeconfig=${kubeconfig}`, ...argv], {});
  if (line.kind === 'print') {
    throw new Error(`printed instead: ${line.text}`);
  }
  connections = openConnections({
    config: line.values,
    program: 'app',
    version: '1',
    registry: new Registry(),
    logger: pino({ level: 'silent' }),
  });
  return connections;
}

describe('H1, H14: who waits for whom', () => {
  test.each<{ busy: 'client' | 'callers'; others: readonly ('client' | 'callers' | 'leases')[] }>([
    { busy: 'callers', others: ['client', 'leases'] },
    { busy: 'client', others: ['callers', 'leases'] },
  ])('$busy has used up its rate limit -> $others are answered at once', async ({ busy, others }) => {
    const clients = await open(
      (response) => answerJson(response, 200, { metadata: { name: 'data' } }),
      ['--kube-api-qps=1', '--kube-api-burst=1'],
    );
    const stop = new AbortController();
    const waiting = Array.from({ length: 500 }, () =>
      clients[busy].get(configMaps, ref, { signal: stop.signal }).then(
        () => 'answered',
        () => 'aborted',
      ),
    );
    await Promise.all(others.map((other) => clients[other].get(configMaps, ref)));
    stop.abort(new Error('enough'));
    const answered = (await Promise.all(waiting)).filter((each) => each === 'answered');
    expect(answered.length).toBeLessThan(500);
  });

  test('none of the connections of client is free -> leases are answered', async () => {
    const clients = await open(
      (response, { url }) => {
        if (!url.endsWith('/stuck')) {
          answerJson(response, 200, { metadata: { name: 'data' } });
        }
      },
      ['--kube-api-qps=-1'],
    );
    const stop = new AbortController();
    const stuck = Array.from({ length: 64 }, () =>
      clients.client
        .get(configMaps, { ...ref, name: 'stuck' }, { signal: stop.signal })
        .catch(() => undefined),
    );
    await clients.leases.get(configMaps, ref);
    stop.abort(new Error('enough'));
    await Promise.all(stuck);
  });
});

test('H2: tenure is over -> the client of the work reads, tells, and writes nothing else', async () => {
  const { client, leases, tenure } = await open((response) =>
    answerJson(response, 200, { metadata: { name: 'data' } }),
  );
  const patch = [{ op: 'add', path: '/data', value: {} }] as const;
  await client.patch(configMaps, ref, patch);
  tenure.end();
  await expect(client.patch(configMaps, ref, patch)).rejects.toThrow(TenureOver);
  await expect(client.delete(configMaps, ref)).rejects.toThrow(TenureOver);
  await expect(client.create(configMaps, ref.namespace, {})).rejects.toThrow(TenureOver);
  expect(await guardedWrite(() => client.patch(configMaps, ref, patch))).toMatchObject({ kind: 'failed' });
  await client.get(configMaps, ref);
  await client.create(configMaps, ref.namespace, {}, { outlivesTenure: true });
  await leases.patch(configMaps, ref, patch);
  expect(server.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET', 'POST', 'PATCH']);
});

test('H5: try at the lease is answered 429 with Retry-After -> fails at once, for the next try is the retry period away', async () => {
  const { leases } = await open((response) =>
    answerStatus(response, 429, 'TooManyRequests', { 'retry-after': '30' }),
  );
  await expect(leases.get(configMaps, ref)).rejects.toThrow('429');
  expect(server.requests).toHaveLength(1);
});

test('answer about the lease drips -> the try fails after half of the renew deadline, so that another has time', async () => {
  const { leases } = await open(
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      const dripping = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(dripping));
    },
    [
      '--leader-elect-lease-duration=3s',
      '--leader-elect-renew-deadline=2s',
      '--leader-elect-retry-period=1s',
    ],
  );
  await expect(leases.get(configMaps, ref)).rejects.toThrow('had not ended after 1000 ms');
});
