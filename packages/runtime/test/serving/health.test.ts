import { expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { healthHandler, type HealthCheck } from '../../src/serving/health.ts';

async function ask(checks: readonly HealthCheck[], path = '/readyz'): Promise<readonly [number, string]> {
  const handle = healthHandler('readyz', checks);
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
      headers: { connection: 'close' },
    });
    return [answer.status, await answer.text()];
  } finally {
    server.close();
  }
}

const pods = { name: 'pods', healthy: () => true };
const databases = { name: 'databases', healthy: () => false };

test('a check fails -> 500, and its line says so', async () => {
  expect(await ask([pods, databases])).toEqual([
    500,
    '[+]pods ok\n[-]databases failed\nreadyz check failed\n',
  ]);
});

test('S6: a check fails that is not required -> 200, and its line says so when asked', async () => {
  const checks = [pods, { ...databases, isRequired: false }];
  expect(await ask(checks)).toEqual([200, 'ok']);
  expect(await ask(checks, '/readyz?verbose')).toEqual([
    200,
    '[+]pods ok\n[-]databases failed, not required\nreadyz check passed\n',
  ]);
});
