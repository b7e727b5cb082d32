import { expect, test } from '@jest/globals';
import { startApiServer } from '../src/server.ts';
import { clientOf, configMaps, mergePatch } from './client.ts';
import { openRawWatch } from './raw-watch.ts';

test('watcher that takes nothing -> cut instead of growing the server’s memory', async () => {
  const server = await startApiServer({ tls: false });
  const client = clientOf(server);
  const socket = await openRawWatch(server);
  socket.pause();
  socket.on('error', () => undefined);
  await client.send('POST', configMaps, { metadata: { name: 'big' } });
  let writes = 0;
  // A mebibyte each; kernel buffers take some, the limit of the server the rest.
  while (!socket.destroyed && writes < 100) {
    const data = { blob: `${writes}`.padEnd(1024 * 1024, 'x') };
    await client.send('PATCH', `${configMaps}/big`, { data }, mergePatch);
    writes += 1;
    // A paused socket learns of the reset only when it reads.
    if (writes > 30) {
      socket.resume();
    }
  }
  expect(socket.destroyed).toBe(true);
  await server.stop();
}, 30_000);
