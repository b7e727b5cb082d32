import { afterEach, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createTransport, type HttpRequest, type Transport } from '../../src/client/transport.ts';
import { until } from '../until.ts';
import { startLocalServer, type Answer } from './local-server.ts';
import { startSwallowingProxy } from './swallowing-proxy.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

const tls = {};
const get = (path: string, timeout: number): HttpRequest => ({ method: 'GET', path, headers: {}, timeout });

async function start(answer: Answer) {
  const server = await startLocalServer(answer);
  const proxy = await startSwallowingProxy(server.origin);
  const clock = createFakeClock();
  const transport = createTransport({ origin: proxy.origin, clock });
  opened.push(server, proxy, transport);
  return {
    server,
    proxy,
    transport,
    clock,
    /** The server stays silent from when this many requests have been sent. */
    silence: async (requests: number, duration: number) => {
      await until(`${requests} requests are under way`, () => clock.pending === requests);
      await clock.advance(duration);
    },
  };
}

/** Fills the pool with this many connections, which are kept open for what comes. */
async function openConnections(transport: Transport, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => transport.send(get('/', 5_000), tls)));
}

describe('nothing comes through a connection any more, and nobody says so', () => {
  test('request on it -> fails in its time; the next ones take new connections, however many there were', async () => {
    const { proxy, transport, silence } = await start((response) => response.end('hello'));
    await openConnections(transport, 8);
    expect(proxy.connections).toBe(8);
    proxy.swallow();
    const swallowed = expect(transport.send(get('/', 500), tls)).rejects.toThrow(/timeout/i);
    await silence(1, 500);
    await swallowed;
    for (let n = 0; n < 8; n++) {
      const { body } = await transport.send(get('/', 5_000), tls);
      expect(String(body)).toBe('hello');
    }
  });

  test('watch on it -> fails after its silence; what comes after it takes a new connection', async () => {
    const { proxy, transport, silence } = await start((response, { url }) => {
      response.writeHead(200);
      response.write('first');
      if (url === '/short') {
        response.end();
      }
    });
    const received: string[] = [];
    const stream = () => (chunk: Buffer) => received.push(String(chunk));
    // Two at once leave two connections that the next watches would take.
    await Promise.all([0, 1].map(() => transport.send(get('/short', 5_000), tls, stream)));
    const watching = expect(transport.send(get('/watch', 50_000), tls, stream)).rejects.toThrow(/timeout/i);
    await until('the watch is under way', () => received.length === 3);
    proxy.swallow();
    await silence(1, 50_000);
    await watching;
    await transport.send(get('/short', 5_000), tls, stream);
    expect(received).toHaveLength(4);
  });

  test('watch that still hears from the server, while another connection is dead -> goes on', async () => {
    let say: ((text: string) => void) | undefined;
    const { transport, silence } = await start((response, { url }) => {
      if (url === '/watch') {
        response.writeHead(200).flushHeaders();
        say = (text) => response.write(text);
      }
    });
    const received: string[] = [];
    let isOver = false;
    transport
      .send(get('/watch', 50_000), tls, () => (chunk) => received.push(String(chunk)))
      .catch(() => undefined)
      .finally(() => (isOver = true));
    await until('the watch is under way', () => say !== undefined);
    const unanswered = expect(transport.send(get('/never', 30_000), tls)).rejects.toThrow(/timeout/i);
    await silence(2, 30_000);
    await unanswered;
    say?.('still here');
    await until('the watch brought something', () => received.length === 1);
    expect(isOver).toBe(false);
  });
});

test.each([
  { after: 3_999, next: 'a kept', connections: 2 },
  { after: 4_000, next: 'a new', connections: 3 },
])(
  'caller gives up after $after ms without an answer -> the next request takes $next connection',
  async ({ after, connections }) => {
    const { proxy, transport, silence } = await start((response, { url }) => {
      if (url !== '/never') {
        response.end('hello');
      }
    });
    await openConnections(transport, 2);
    const stop = new AbortController();
    const given = { ...get('/never', 30_000), signal: stop.signal };
    const unanswered = expect(transport.send(given, tls)).rejects.toThrow('enough');
    await silence(1, after);
    stop.abort(new Error('enough'));
    await unanswered;
    await transport.send(get('/', 5_000), tls);
    expect(proxy.connections).toBe(connections);
  },
);

test('stream is ended by who reads it -> resolves, and the connection is given up', async () => {
  let isClosed = false;
  const { transport } = await start((response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('enough');
    response.on('close', () => (isClosed = true));
  });
  const seen: string[] = [];
  const { status, contentType } = await transport.send(get('/', 5_000), tls, (type, end) => (chunk) => {
    seen.push(`${type} ${String(chunk)}`);
    end();
  });
  expect([status, contentType, seen]).toEqual([200, 'text/plain', ['text/plain enough']]);
  await until('the server has seen it', () => isClosed);
});
