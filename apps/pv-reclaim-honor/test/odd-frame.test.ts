import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createSecretValues } from '@holdfast/runtime';
import { createCsiConnection } from '../src/csi/csi-connection.ts';

/* What gRPC's library can't read of an answer fails the call with an error that has neither a code nor details. */

let folder: string;
const server = createServer();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-odd-frame-'));
});

afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

test('Issue 19: driver answers a deletion with a message that is compressed by no method -> it fails, and says why', async () => {
  const socket = join(folder, 'csi.sock');
  server.on('stream', (stream, { ':path': path = '' }) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.from([path.endsWith('/DeleteVolume') ? 1 : 0, 0, 0, 0, 0]));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const connection = createCsiConnection(`unix://${socket}`, 60_000, createSecretValues());
  const { signal } = new AbortController();
  await connection.isReady(signal);
  const deletion = connection.deleteVolume(
    'volume',
    { password: 'hX3-odd-frame-secret-5k' },
    { announce: () => Promise.resolve(), beforeDeletion: () => undefined, signal },
  );
  await expect(deletion).rejects.toMatchObject({
    name: 'CsiError',
    code: 'UNKNOWN',
    message: 'DeleteVolume: UNKNOWN: the answer can not be read',
  });
  connection.close();
});
