import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startApiServer } from '../src/server.ts';
import { openRawWatch } from './raw-watch.ts';

const serverModule = join(import.meta.dirname, '..', 'src', 'server.ts');
const watchModule = join(import.meta.dirname, 'raw-watch.ts');

/**
 * A process in which one server after the other cuts a watch after its client has closed its side, while the server is
 * closing the other. Prints for each whether it had called end() by then, and whether that had been carried out.
 */
const cutWhileClosing = (options: readonly object[]): string => `
  import { subscribe, unsubscribe } from 'node:diagnostics_channel';
  import { startApiServer } from ${JSON.stringify(serverModule)};
  import { openRawWatch } from ${JSON.stringify(watchModule)};

  for (const options of ${JSON.stringify(options)}) {
    const server = await startApiServer(options);
    const { promise: cut, resolve } = Promise.withResolvers();
    const listen = ({ socket }) => {
      // The HTTP server's own listener, which calls end(), was added earlier and so runs first.
      socket.once('end', () => {
        process.stdout.write(JSON.stringify([socket.writableEnded, socket.writableFinished]));
        server.cutWatches();
        resolve();
      });
    };
    subscribe('http.server.request.start', listen);
    const watch = await openRawWatch(server);
    watch.end();
    await cut;
    unsubscribe('http.server.request.start', listen);
    await server.stop();
  }
`;

const protocols = [
  { protocol: 'http', tls: false, http2: false },
  { protocol: 'https', tls: true, http2: false },
  { protocol: 'https, of a server that speaks HTTP/2 too', tls: true, http2: true },
];

test.each(protocols)(
  'watch over $protocol, cut -> its client sees a reset, and no end',
  async ({ tls, http2 }) => {
    const server = await startApiServer({ tls, http2 });
    const watch = await openRawWatch(server);
    let hasEnded = false;
    watch.on('end', () => (hasEnded = true));
    const failure = once(watch, 'error');
    server.cutWatches();
    expect(await failure).toMatchObject([{ code: 'ECONNRESET', syscall: 'read' }]);
    expect(hasEnded).toBe(false);
    await server.stop();
  },
);

test('watches over each, cut while their connections are being closed -> the process of the servers ends by itself', async () => {
  const child = spawn(
    process.execPath,
    ['--conditions=@holdfast/source', '--input-type=module', '--eval', cutWhileClosing(protocols)],
    // A process that does not end by itself never would: the time only bounds the wait for what does not come.
    { stdio: ['ignore', 'pipe', 'inherit'], timeout: 20_000, killSignal: 'SIGKILL' },
  );
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  expect({ code, signal, printed }).toEqual({ code: 0, signal: null, printed: '[true,false]'.repeat(3) });
});
