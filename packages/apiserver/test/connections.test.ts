import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startApiServer } from '../src/server.ts';
import { openRawWatch } from './raw-watch.ts';

const serverModule = join(import.meta.dirname, '..', 'src', 'server.ts');
const watchModule = join(import.meta.dirname, 'raw-watch.ts');

/**
 * A process that cuts a watch after its client has closed its side, while the server is closing the other. Prints
 * whether the server had called end() by then, and whether that had been carried out.
 */
const cutWhileClosing = (tls: boolean, http2: boolean): string => `
  import { subscribe } from 'node:diagnostics_channel';
  import { startApiServer } from ${JSON.stringify(serverModule)};
  import { openRawWatch } from ${JSON.stringify(watchModule)};

  const server = await startApiServer({ tls: ${tls}, http2: ${http2} });
  const cut = new Promise((resolve) => {
    subscribe('http.server.request.start', ({ socket }) => {
      // The HTTP server's own listener, which calls end(), was added earlier and so runs first.
      socket.once('end', () => {
        process.stdout.write(JSON.stringify([socket.writableEnded, socket.writableFinished]));
        server.cutWatches();
        resolve();
      });
    });
  });
  const watch = await openRawWatch(server);
  watch.end();
  await cut;
  await server.stop();
`;

describe.each([
  ['http', false, false],
  ['https', true, false],
  ['https, of a server that speaks HTTP/2 too', true, true],
])('watch over %s', (_protocol, tls, http2) => {
  test('cut -> its client sees a reset, and no end', async () => {
    const server = await startApiServer({ tls, http2 });
    const watch = await openRawWatch(server);
    let hasEnded = false;
    watch.on('end', () => (hasEnded = true));
    const failure = once(watch, 'error');
    server.cutWatches();
    expect(await failure).toMatchObject([{ code: 'ECONNRESET', syscall: 'read' }]);
    expect(hasEnded).toBe(false);
    await server.stop();
  });

  test('cut while its connection is being closed -> the process of the server ends by itself', async () => {
    const child = spawn(
      process.execPath,
      ['--conditions=@holdfast/source', '--input-type=module', '--eval', cutWhileClosing(tls, http2)],
      // A process that does not end by itself never would: the time only bounds the wait for what does not come.
      { stdio: ['ignore', 'pipe', 'inherit'], timeout: 20_000, killSignal: 'SIGKILL' },
    );
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    expect({ code, signal, printed }).toEqual({ code: 0, signal: null, printed: '[true,false]' });
  });
});
