import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

async function linesOf(path: string): Promise<readonly string[]> {
  const { code, body } = await server.handle('GET', path);
  expect(code).toBe(200);
  return body.split('\n');
}

test.each(['/healthz', '/livez', '/readyz', '/readyz/etcd', '/readyz/etcd?verbose', '/readyz?exclude=etcd'])(
  '%s -> ok alone',
  async (path) => {
    expect(await server.handle('GET', path)).toEqual({ code: 200, body: 'ok' });
  },
);

test.each([
  ['healthz', 34, '[+]loopback-serving-certificate ok'],
  ['livez', 34, '[+]loopback-serving-certificate ok'],
  ['readyz', 36, '[+]informer-sync ok'],
])('%s, verbose -> a line for each check of the real server', async (name, count, line) => {
  for (const query of ['verbose', 'verbose=1', 'verbose=false']) {
    const lines = await linesOf(`/${name}?${query}`);
    expect(lines.slice(-2)).toEqual([`${name} check passed`, '']);
    expect(lines.slice(0, -2).filter((each) => /^\[\+\]\S+ ok$/.test(each))).toHaveLength(count);
    expect(lines).toHaveLength(count + 2);
    expect(lines).toContain(line);
  }
});

test('checks excluded, some of them unknown -> said of each', async () => {
  const lines = await linesOf('/readyz?verbose&exclude=etcd&exclude=y&exclude=x&exclude=y');
  expect(lines).toContain('[+]etcd excluded: ok');
  expect(lines.slice(-3)).toEqual([
    'warn: some health checks cannot be excluded: no matches for "x","y"',
    'readyz check passed',
    '',
  ]);
});

test('check by its name, with slashes in it -> ok', async () => {
  const path = '/healthz/poststarthook/scheduling/bootstrap-system-priority-classes';
  expect(await server.handle('GET', path)).toEqual({ code: 200, body: 'ok' });
});

test.each(['/healthz/', '/readyz/nothing', '/livez/poststarthook', '/livez/shutdown'])(
  '%s, which is no check -> 404',
  async (path) => {
    expect(await server.handle('GET', path)).toEqual({ code: 404, body: '404 page not found\n' });
  },
);
