import { afterEach, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { serveHttp, type HttpServer } from '../../src/serving/http-server.ts';
import { makeOwnCertificate } from '../../src/serving/own-certificate.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const logger = pino({ level: 'silent' });

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function shown({ address }: HttpServer): Promise<X509Certificate | undefined> {
  const socket = connect({ port: Number(address.split(':')[1]), rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerX509Certificate();
  } finally {
    socket.destroy();
  }
}

test('issue 17: --metrics-secure, the process runs for nine months -> a new certificate is shown, good for a year', async () => {
  const clock = createFakeClock();
  let now = Date.UTC(2026, 0, 1);
  const own = await makeOwnCertificate({
    name: 'metrics',
    hosts: ['localhost'],
    clock,
    now: () => new Date(now),
    logger,
  });
  const bind = { kind: 'listen', host: '127.0.0.1', port: 0 } as const;
  const server = await serveHttp('metrics', bind, {}, logger, own);
  servers.push(server);

  const first = await shown(server);
  expect(first?.validToDate).toEqual(new Date(now + 365 * day));
  now += 200 * day;
  await clock.advance(hour);
  expect((await shown(server))?.fingerprint256).toBe(first?.fingerprint256);

  now += 70 * day;
  await clock.advance(hour);
  let second = first;
  for (let times = 0; times < 1_000 && second?.fingerprint256 === first?.fingerprint256; times++) {
    second = await shown(server);
  }
  expect(second?.validToDate).toEqual(new Date(now + 365 * day));
  await server.close();
  expect(clock.pending).toBe(0);
});
