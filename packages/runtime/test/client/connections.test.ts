import { afterEach, expect, test } from '@jest/globals';
import { createTransport, type HttpRequest } from '../../src/client/transport.ts';
import { startLocalServer } from './local-server.ts';
import { startSwallowingProxy } from './swallowing-proxy.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

const get: HttpRequest = { method: 'GET', path: '/', headers: {}, timeout: 5_000 };

test.each([1, 6])(
  '%s workers send their next request as soon as they have an answer -> each needs one connection',
  async (workers) => {
    const server = await startLocalServer((response) => response.end('hello'));
    const proxy = await startSwallowingProxy(server.origin);
    const transport = createTransport({ origin: proxy.origin });
    opened.push(server, proxy, transport);
    await Promise.all(
      Array.from({ length: workers }, async () => {
        for (let sent = 0; sent < 20; sent++) {
          await transport.send(get, {});
        }
      }),
    );
    expect(proxy.connections).toBe(workers);
  },
);

test.each(['DELETE', 'PATCH', 'POST', 'PUT'] as const)(
  '%s with a body -> the connection is kept for the next request',
  async (method) => {
    const server = await startLocalServer((response) => response.end('done'));
    const proxy = await startSwallowingProxy(server.origin);
    const transport = createTransport({ origin: proxy.origin });
    opened.push(server, proxy, transport);
    for (let sent = 0; sent < 3; sent++) {
      await transport.send({ ...get, method, body: '{"preconditions":{}}' }, {});
    }
    expect(server.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"preconditions":{}}'));
    expect(proxy.connections).toBe(1);
  },
);
