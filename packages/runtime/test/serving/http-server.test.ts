import { afterEach, describe, expect, test } from '@jest/globals';
import { request } from 'node:http';
import { pino } from 'pino';
import { UsageError } from '../../src/flags/command-line.ts';
import { healthHandler } from '../../src/serving/health.ts';
import { serveHttp, type HttpHandler, type HttpServer } from '../../src/serving/http-server.ts';

const opened: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

async function serve(routes: Readonly<Record<string, HttpHandler>>, port = 0): Promise<HttpServer> {
  const server = await serveHttp(
    'metrics',
    { kind: 'listen', host: '127.0.0.1', port },
    routes,
    pino({ level: 'silent' }),
  );
  opened.push(server);
  return server;
}

function ask(server: HttpServer, path: string, method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(`http://${server.address}${path}`, { method }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on('error', reject)
      .end();
  });
}

describe('serving', () => {
  test('port 0 -> a free port, which its address names', async () => {
    const server = await serve({ '/x': (_request, response) => void response.end('it') });
    expect(server.address).toMatch(/^127\.0\.0\.1:[1-9]\d+$/);
    expect(await ask(server, '/x?a=b')).toEqual({ status: 200, body: 'it' });
  });

  test.each([
    ['GET', '/y'],
    ['GET', '/x/'],
    ['GET', '/toString'],
    ['POST', '/x'],
    ['DELETE', '/x'],
  ])('%s %s, only GET /x is served -> 404', async (method, path) => {
    const server = await serve({ '/x': (_request, response) => void response.end('it') });
    expect((await ask(server, path, method)).status).toBe(404);
  });

  test.each<{ how: string; handler: HttpHandler }>([
    { how: 'rejects', handler: () => Promise.reject(new Error('secret')) },
    {
      how: 'throws',
      handler: () => {
        throw new Error('secret');
      },
    },
  ])('handler $how -> 500 without details', async ({ handler }) => {
    const answer = await ask(await serve({ '/x': handler }), '/x');
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('secret');
  });

  test('closed with a connection still open -> resolves', async () => {
    const server = await serve({ '/x': () => undefined });
    const asking = ask(server, '/x').catch(() => 'cut');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await server.close();
    expect(await asking).toBe('cut');
  });
});

describe('address that can not be listened on -> UsageError with the way out', () => {
  test('in use', async () => {
    const first = await serve({});
    const port = Number(first.address.split(':')[1]);
    const second = serve({}, port);
    await expect(second).rejects.toThrow(UsageError);
    await expect(second).rejects.toThrow(
      `can't serve metrics on 127.0.0.1:${String(port)}: it is in use; choose another with --metrics-bind-address`,
    );
  });

  test("not this machine's", async () => {
    const serving = serveHttp(
      'health-probe',
      { kind: 'listen', host: '203.0.113.1', port: 0 },
      {},
      pino({ level: 'silent' }),
    );
    await expect(serving).rejects.toThrow(UsageError);
    await expect(serving).rejects.toThrow(/203\.0\.113\.1:0.*--health-probe-bind-address/);
  });
});

describe('health', () => {
  test.each([
    { state: 'all hold', ready: true, query: '', status: 200, body: 'ok' },
    {
      state: 'all hold, verbose',
      ready: true,
      query: '?verbose',
      status: 200,
      body: '[+]ping ok\n[+]sync ok\nreadyz check passed\n',
    },
    {
      state: 'one does not',
      ready: false,
      query: '',
      status: 500,
      body: '[+]ping ok\n[-]sync failed\nreadyz check failed\n',
    },
  ])('$state -> $status', async ({ ready, query, status, body }) => {
    const checks = [
      { name: 'ping', healthy: () => true },
      { name: 'sync', healthy: () => ready },
    ];
    const server = await serve({ '/readyz': healthHandler('readyz', checks) });
    expect(await ask(server, `/readyz${query}`)).toEqual({ status, body });
  });
});
