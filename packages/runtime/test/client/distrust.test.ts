import { afterEach, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createTransport, type HttpRequest } from '../../src/client/transport.ts';
import { until } from '../until.ts';
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
  const state: { status: number; release?: () => void } = { status: 200 };
  const server = await startLocalServer((response, { url }) => {
    const answer = (): void => void response.writeHead(state.status).end('{}');
    if (url === '/held') {
      state.release = answer;
    } else {
      answer();
    }
  });
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

test('all API servers fail -> each try at a lease has a new connection, and later there is one every ten seconds, for each costs a handshake', async () => {
  const { state, proxy, clock, send } = await start();
  state.status = 500;
  const connectionsIn = async (seconds: number, step: number): Promise<number> => {
    const before = proxy.connections;
    for (let time = 0; time < seconds; time += step) {
      await send();
      await send();
      await clock.advance(step * 1_000);
    }
    return proxy.connections - before;
  };
  expect(await connectionsIn(10, 2)).toBe(1 + 5);
  await connectionsIn(50, 1);
  expect(await connectionsIn(60, 1)).toBe(6);
  await clock.advance(20_000);
  expect(await connectionsIn(4, 2)).toBe(2);
});

test('API server that was left answers late, and so does the next one -> that one is left at once', async () => {
  const { state, proxy, clock, transport, send } = await start();
  const slow = transport.send({ ...get, path: '/held' }, tls);
  await until('it is under way', () => state.release !== undefined);
  state.status = 500;
  await send();
  await clock.advance(1_000);
  state.release?.();
  expect(await slow).toMatchObject({ status: 500 });
  await send();
  await send();
  expect(proxy.connections).toBe(4);
});
