import { expect, test } from '@jest/globals';
import type { CsiConnection } from '../src/csi/csi-connection.ts';
import { createCsiConnections } from '../src/csi/csi-connections.ts';

/**
 * Connections `0`, `1`... in the order in which they are opened; `0` is the first one. What happens to them is in
 * `log`.
 */
function open() {
  const log: string[] = [];
  let count = 0;
  const connect = (): CsiConnection => {
    const name = String(count++);
    return {
      close: () => log.push(`${name} closed`),
      pluginInfo: () => Promise.resolve({ name, version: '' }),
    } as Partial<CsiConnection> as CsiConnection;
  };
  const connections = createCsiConnections(connect(), connect);
  /** Begins a call that ends when it is let to, and logs its connection. */
  const begin = () => {
    const end = Promise.withResolvers<undefined>();
    const done = connections.use(async (connection) => {
      log.push((await connection.pluginInfo(new AbortController().signal)).name);
      return end.promise;
    });
    return { end, done };
  };
  return { connections, log, begin };
}

test('calls one after the other, one of which fails -> all over the first connection', async () => {
  const { log, begin } = open();
  const failing = begin();
  failing.end.reject(new Error('no'));
  await expect(failing.done).rejects.toThrow('no');
  const next = begin();
  next.end.resolve(undefined);
  await next.done;
  expect(log).toEqual(['0', '0']);
});

test('calls at once -> a connection each, which serves again when its call has ended', async () => {
  const { log, begin } = open();
  const [first, second] = [begin(), begin()];
  second.end.resolve(undefined);
  await second.done;
  const third = begin();
  [first, third].forEach(({ end }) => end.resolve(undefined));
  await Promise.all([first.done, third.done]);
  expect(log).toEqual(['0', '1', '1']);
});

test('closed during a call -> idle connections are closed at once, that of the call when it has ended', async () => {
  const { connections, log, begin } = open();
  const [first, second] = [begin(), begin()];
  second.end.resolve(undefined);
  await second.done;
  connections.close();
  expect(log).toEqual(['0', '1', '1 closed']);
  first.end.resolve(undefined);
  await first.done;
  expect(log).toEqual(['0', '1', '1 closed', '0 closed']);
});
