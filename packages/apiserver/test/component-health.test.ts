import { type Server, createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createFakeClock } from '../src/fake-clock.ts';
import { serverCertificate } from '../src/http/certificate.ts';
import { systemTimer } from '../src/meta/timer.ts';
import { askHealth } from '../src/resources/described/component-health.ts';

const running: Server[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server): Promise<number> {
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function component(code: number, body: string): Promise<number> {
  const { certificate, key } = await serverCertificate();
  return listen(
    createServer({ cert: certificate, key }, (request, response) => {
      response.writeHead(request.url === '/healthz' ? code : 404).end(body);
    }),
  );
}

test('component answers 200 -> healthy, with what it says', async () => {
  const port = await component(200, 'ok');
  expect(await askHealth(port, systemTimer)).toEqual({ type: 'Healthy', status: 'True', message: 'ok' });
});

test('component answers 500 -> unhealthy, with the code alone', async () => {
  const port = await component(500, 'secret');
  expect(await askHealth(port, systemTimer)).toEqual({
    type: 'Healthy',
    status: 'False',
    message: 'HTTP probe failed with statuscode: 500',
  });
});

test('component says more than is kept -> its beginning', async () => {
  const port = await component(200, 'x'.repeat(100_000));
  expect((await askHealth(port, systemTimer)).message).toHaveLength(10 * 1024);
});

test('nobody listens -> unhealthy, in the words of the real server', async () => {
  const port = await component(200, 'ok');
  for (const server of running.splice(0)) {
    await new Promise((resolve) => server.close(resolve));
  }
  expect(await askHealth(port, systemTimer)).toEqual({
    type: 'Healthy',
    status: 'False',
    message: `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
});

test('component without TLS -> unhealthy', async () => {
  const port = await listen(createPlainServer((_request, response) => response.end('ok')));
  expect((await askHealth(port, systemTimer)).status).toBe('False');
});

test('component is silent for 20 seconds -> unhealthy', async () => {
  const clock = createFakeClock();
  const { certificate, key } = await serverCertificate();
  let reached: () => void;
  const isAsked = new Promise<void>((resolve) => (reached = resolve));
  const port = await listen(createServer({ cert: certificate, key }, () => reached()));
  const asked = askHealth(port, clock.after);
  await isAsked;
  await clock.advance(20_000);
  expect(await asked).toEqual({
    type: 'Healthy',
    status: 'False',
    message: `Get "https://127.0.0.1:${port}/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
  });
});
