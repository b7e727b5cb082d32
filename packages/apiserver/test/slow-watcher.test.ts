import { expect, test } from '@jest/globals';
import { startApiServer } from '../src/server.ts';
import { configMaps, mergePatch } from './client.ts';
import { openRawWatch } from './raw-watch.ts';

test('watcher that takes nothing -> cut instead of growing the server’s memory', async () => {
  const server = await startApiServer({ tls: false });
  const socket = await openRawWatch(server);
  socket.pause();
  socket.on('error', () => undefined);
  const data = { blob: 'x'.repeat(1024 * 1024) };
  await server.handle('POST', configMaps, JSON.stringify({ metadata: { name: 'big' }, data }));
  let writes = 0;
  // A mebibyte for each; kernel buffers take some, the limit of the server the rest.
  while (!socket.destroyed && writes < 100) {
    writes += 1;
    const labels = { writes: String(writes) };
    await server.handle('PATCH', `${configMaps}/big`, JSON.stringify({ metadata: { labels } }), mergePatch);
    // What a kernel takes, and the reset, are seen between the writes.
    await new Promise((resolve) => setImmediate(resolve));
    // A paused socket learns of the reset only when it reads.
    if (writes > 30) {
      socket.resume();
    }
  }
  const isCut = socket.destroyed;
  await server.stop();
  expect(isCut).toBe(true);
}, 30_000);
