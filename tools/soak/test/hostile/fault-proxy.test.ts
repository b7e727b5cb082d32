import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as requestOf, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startFaultProxy, type FaultProxy } from '../../src/hostile/fault-proxy.ts';
import { readSent } from '../../src/hostile/sent-mark.ts';

const fixtures = join(import.meta.dirname, '..', '..', '..', '..', 'packages', 'runtime', 'test', 'fixtures');

let tls: { readonly cert: string; readonly key: string };
let server: Server;
/** What reached the server, as `method path`. */
let served: { readonly what: string; readonly headers: IncomingMessage['headers'] }[];
let answer: (response: ServerResponse) => void;
let proxy: FaultProxy;
let agent: Agent;

beforeEach(async () => {
  const [cert, key] = await Promise.all(
    ['loopback.crt', 'loopback.key'].map((name) => readFile(join(fixtures, name), 'utf8')),
  );
  tls = { cert: cert ?? '', key: key ?? '' };
  served = [];
  answer = (response) => response.end('{}');
  server = createServer(tls, (request, response) => {
    served.push({ what: `${String(request.method)} ${String(request.url)}`, headers: request.headers });
    request.resume().on('end', () => answer(response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  proxy = await startFaultProxy({
    target: `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    tls,
    clients: [
      { name: 'a', speaks: 'as it likes' },
      { name: 'b', speaks: 'JSON' },
    ],
  });
  agent = new Agent({ keepAlive: true, ca: tls.cert });
});

afterEach(async () => {
  agent.destroy();
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(client: string, { method = 'GET', path = '/api', headers = {} }: Call = {}) {
  const { port } = proxy.front(client);
  const sent = requestOf({ port, host: '127.0.0.1', agent, method, path, headers });
  // Whoever waits for the answer hears of it there.
  sent.on('error', () => undefined);
  sent.end();
  return sent;
}

async function call(
  client: string,
  what?: Call,
): Promise<{ readonly code: number | undefined; readonly body: string }> {
  const [response] = (await once(send(client, what), 'response')) as [IncomingMessage];
  return { code: response.statusCode, body: await text(response) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await pause(5);
  }
}

describe('startFaultProxy', () => {
  test('nothing ordered -> requests and answers pass, marked with the client and the time', async () => {
    answer = (response) => response.writeHead(201).end('made');
    expect(await call('a', { method: 'POST', path: '/api/v1/x' })).toEqual({ code: 201, body: 'made' });
    const [{ what, headers } = { what: '', headers: {} }] = served;
    const mark = String(headers['audit-id']);
    expect({ what, client: mark.split('.')[0] }).toEqual({ what: 'POST /api/v1/x', client: 'a' });
    expect(Math.abs(Date.now() - (readSent(mark) ?? 0))).toBeLessThan(60_000);
  });

  test.each([
    { client: 'a', passed: 'application/vnd.kubernetes.protobuf,application/json' },
    { client: 'b', passed: 'application/json' },
  ])('$client asks for protobuf -> $passed is asked for', async ({ client, passed }) => {
    await call(client, { headers: { accept: 'application/vnd.kubernetes.protobuf,application/json' } });
    expect(served[0]?.headers.accept).toBe(passed);
  });

  test('reset -> the request under way fails, the next one passes; another client notices nothing', async () => {
    const waiting: ServerResponse[] = [];
    answer = (response) => void waiting.push(response);
    const failed = once(send('a'), 'response');
    await until(() => waiting.length === 1);
    const other = call('b');
    await until(() => waiting.length === 2);
    expect(proxy.front('a').reset()).toBe(1);
    await expect(failed).rejects.toMatchObject({ code: 'ECONNRESET' });
    waiting[1]?.end('unharmed');
    expect((await other).body).toBe('unharmed');
    answer = (response) => response.end('again');
    expect((await call('a')).body).toBe('again');
  });

  test('half-open -> nothing comes on the old connection, which stays; a new one works', async () => {
    await call('a');
    expect(proxy.front('a').halfOpen()).toBe(1);
    const silent = send('a');
    let hasAnswered = false;
    silent.on('response', () => (hasAnswered = true)).on('close', () => (hasAnswered = true));
    agent = new Agent({ ca: tls.cert });
    await call('a');
    expect(served).toHaveLength(2);
    expect(hasAnswered).toBe(false);
    silent.destroy();
  });

  test('stalled -> a request whose sender waits passes afterwards, one whose sender hung up never does', async () => {
    proxy.front('a').stall(600_000);
    const waiting = call('a', { method: 'PATCH', path: '/waits' });
    const given = send('a', { method: 'PATCH', path: '/gives-up' });
    await until(() => proxy.counts.requests === 2);
    expect(served).toStrictEqual([]);
    given.destroy();
    await until(() => proxy.front('a').connections === 1);
    proxy.heal();
    expect((await waiting).code).toBe(200);
    await until(() => proxy.counts.givenUpWhileHeld === 1);
    expect(served.map(({ what }) => what)).toEqual(['PATCH /waits']);
  });

  test('storm -> four of five are answered 429 with Retry-After; healed -> none is', async () => {
    proxy.front('a').storm(60_000);
    let refused = 0;
    // One in five passes: that 100 do is beyond all chance.
    for (let index = 0; index < 100 && refused === 0; index++) {
      refused += Number((await call('a')).code === 429);
    }
    expect(refused).toBe(1);
    expect(proxy.counts.answered429).toBe(1);
    proxy.heal();
    expect((await call('a')).code).toBe(200);
  });

  test('answers lost -> the write takes effect and its connection is reset; reads are answered', async () => {
    proxy.front('a').loseAnswers(1);
    expect((await call('a')).code).toBe(200);
    await expect(once(send('a', { method: 'PATCH' }), 'response')).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
    expect(served.map(({ what }) => what)).toEqual(['GET /api', 'PATCH /api']);
    expect((await call('a', { method: 'PATCH' })).code).toBe(200);
  });

  test('list with an object that is marked -> it comes unreadable, and is counted', async () => {
    answer = (response) =>
      response.end(JSON.stringify({ items: [{ metadata: { name: 'poison-1' }, spec: {} }] }));
    const { body } = await call('a');
    expect(JSON.parse(body)).toEqual({ items: [{ metadata: { name: 'poison-1' }, spec: 'unreadable' }] });
    expect(proxy.counts.objectsPoisoned).toBe(1);
  });

  test('watch in pieces -> whole events pass as they are complete, the marked one unreadable', async () => {
    const event = (name: string): string =>
      `${JSON.stringify({ type: 'ADDED', object: { metadata: { name }, spec: {} } })}\n`;
    const all = event('a') + event('poison-1') + event('b');
    answer = (response) => {
      response.write(all.slice(0, 30));
      setImmediate(() => response.end(all.slice(30)));
    };
    const { body } = await call('a', { path: '/api/v1/pods?watch=true' });
    expect(body).toBe(all.replace('poison-1"},"spec":{}', 'poison-1"},"spec":"unreadable"'));
  });

  test('watch in protobuf -> frames keep their lengths', async () => {
    const frames = Buffer.from([0, 0, 0, 2, 7, 8, 0, 0, 0, 1, 9]);
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.kubernetes.protobuf;stream=watch' });
      response.write(frames.subarray(0, 5));
      setImmediate(() => response.end(frames.subarray(5)));
    };
    const { body } = await call('a', { path: '/api/v1/pods?watch=true' });
    expect([...Buffer.from(body)]).toEqual([...frames]);
  });

  test('server is away -> the connection breaks', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(once(send('a'), 'response')).rejects.toThrow();
  });

  test('client that nobody named -> an error that says which there are', () => {
    expect(() => proxy.front('c')).toThrow('the proxy has no way for "c"; it has a, b');
  });
});
