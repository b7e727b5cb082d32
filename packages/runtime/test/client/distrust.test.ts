import { afterEach, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createTransport, type HttpRequest } from '../../src/client/transport.ts';
import { startLocalServer } from './local-server.ts';
import { startSwallowingProxy } from './swallowing-proxy.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) {
    await each.close();
  }
});

const tls = {};
const get: HttpRequest = { method: 'GET', path: '/', headers: {}, timeout: 5_000 };

/** A server with a status that the test sets, how often it was connected to, and a client whose time is the test's. */
async function start() {
  const state = { status: 200 };
  const server = await startLocalServer((response) => response.writeHead(state.status).end('{}'));
  const proxy = await startSwallowingProxy(server.origin);
  const clock = createFakeClock();
  const transport = createTransport({ origin: proxy.origin, clock });
  opened.push(server, proxy, transport);
  const send = async (stream = false): Promise<number> => {
    const { status } = await transport.send(get, tls, stream ? () => () => undefined : undefined);
    return status;
  };
  return { state, proxy, clock, transport, send };
}

test.each([401, 500, 503, 504])(
  'one API server of several answers %i -> the next request takes a new connection, which might lead to another',
  async (status) => {
    const { state, proxy, send } = await start();
    expect(await send()).toBe(200);
    state.status = status;
    expect(await send()).toBe(status);
    expect(proxy.connections).toBe(1);
    state.status = 200;
    expect(await send()).toBe(200);
    expect(await send()).toBe(200);
    expect(proxy.connections).toBe(2);
  },
);

test('watch is refused -> the next one takes a new connection', async () => {
  const { state, proxy, send } = await start();
  expect(await send(true)).toBe(200);
  state.status = 500;
  expect(await send(true)).toBe(500);
  state.status = 200;
  expect(await send(true)).toBe(200);
  expect(proxy.connections).toBe(2);
});

test.each([403, 404, 409, 422, 429])('%i -> the connection is kept', async (status) => {
  const { state, proxy, send } = await start();
  state.status = status;
  expect(await send()).toBe(status);
  expect(await send()).toBe(status);
  expect(proxy.connections).toBe(1);
});

test('write is answered 500, as where its webhook fails -> the connection is kept', async () => {
  const { state, proxy, transport } = await start();
  state.status = 500;
  for (let n = 0; n < 2; n++) {
    expect(await transport.send({ ...get, method: 'PATCH', body: '[]' }, tls)).toMatchObject({ status: 500 });
  }
  expect(proxy.connections).toBe(1);
});

test('all API servers fail -> new connections once a second at most, for each costs a handshake', async () => {
  const { state, proxy, clock, send } = await start();
  state.status = 500;
  for (let n = 0; n < 5; n++) {
    expect(await send()).toBe(500);
  }
  expect(proxy.connections).toBe(2);
  await clock.advance(999);
  await send();
  await send();
  expect(proxy.connections).toBe(2);
  await clock.advance(1);
  await send();
  await send();
  expect(proxy.connections).toBe(3);
});
