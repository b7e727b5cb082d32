import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createTransport, type HttpRequest } from '../../src/client/transport.ts';

/* A request has no connection yet: the proxy on the way takes one, and says nothing. */

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of opened.splice(0).reverse()) {
    await end();
  }
});

const get: HttpRequest = { method: 'GET', path: '/', headers: {}, timeout: 30_000 };

async function throughSilentProxy() {
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const transport = createTransport({
    origin: 'https://kubernetes.example:6443',
    proxyUrl: `http://127.0.0.1:${String(port)}`,
  });
  opened.push(
    () => proxy.close(),
    () => {
      sockets.forEach((socket) => socket.destroy());
    },
    () => transport.close(),
  );
  return { transport, asked: once(proxy, 'connection') };
}

test('proxy never connects, the request is aborted -> it ends at once, for that reason', async () => {
  const { transport, asked } = await throughSilentProxy();
  const ended = new AbortController();
  const sent = transport.send({ ...get, signal: ended.signal }, {});
  await asked;
  ended.abort(new Error('nobody waits any more'));
  await expect(sent).rejects.toThrow('nobody waits any more');
});

test('proxy never connects -> the request ends at its time limit', async () => {
  const { transport } = await throughSilentProxy();
  await expect(transport.send({ ...get, timeLimit: 100 }, {})).rejects.toThrow('timeout: GET /: ');
});

test('proxy never connects -> the request ends when all has been silent for as long as it allows', async () => {
  const { transport } = await throughSilentProxy();
  const watch = { ...get, timeout: 100, timeLimit: 610_000 };
  await expect(transport.send(watch, {}, () => () => undefined)).rejects.toThrow(
    'timeout: https://kubernetes.example:6443 was silent for 100 ms',
  );
});
