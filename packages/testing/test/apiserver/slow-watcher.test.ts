import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { startApiServer } from '../../src/apiserver/server.ts';
import { clientOf, configMaps, mergePatch } from './client.ts';

test('watcher that takes nothing -> cut instead of growing the server’s memory', async () => {
  const server = await startApiServer({ tls: false });
  const client = clientOf(server);
  const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    socket.once('data', () => {
      socket.pause();
      resolve();
    });
    socket.write(
      `GET ${configMaps}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${users[0]?.user.token ?? ''}\r\n\r\n`,
    );
  });
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
