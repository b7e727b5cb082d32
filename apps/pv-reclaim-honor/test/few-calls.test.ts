import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import { pino } from 'pino';
import { createCsiDrivers } from '../src/csi/csi-drivers.ts';
import { answer, messages } from './grpc-answers.ts';

/*
 * A gRPC server can limit the calls of one connection; HTTP/2 clients keep further calls to themselves until one ends.
 */

let folder: string;
let socket: string;
const server = createServer({ settings: { maxConcurrentStreams: 2 } });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-few-'));
  socket = join(folder, 'csi.sock');
});

afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

test('driver takes two calls of a connection at once, two deletions take long -> a third reaches it as soon as it is judged', async () => {
  const held: ServerHttp2Stream[] = [];
  server.on('stream', (stream, { ':path': path = '' }) => {
    stream.on('error', () => undefined);
    const message = messages[path];
    if (message === undefined) {
      held.push(stream);
    } else {
      answer(stream, message);
    }
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const end = new AbortController();
  const ready = Promise.withResolvers<undefined>();
  const drivers = createCsiDrivers({
    addresses: [`unix://${socket}`],
    timeout: 10_000,
    logger: pino({ level: 'silent' }),
    clock: systemClock,
    onReady: () => ready.resolve(undefined),
  });
  const running = drivers.run(end.signal);
  await ready.promise;

  let judged = 0;
  const deletions = ['vol-1', 'vol-2', 'vol-3'].map((handle) =>
    drivers.deleteVolume(
      { driver: 'a.example.com', handle, secrets: {} },
      { announce: () => Promise.resolve(), beforeDeletion: () => void (judged += 1), signal: end.signal },
    ),
  );
  await eventually('all were judged', () => judged === 3, 5_000);
  await eventually('the driver has what was judged', () => held.length === 3, 5_000);
  held.forEach((stream) => answer(stream, Buffer.alloc(0)));
  await expect(Promise.all(deletions)).resolves.toHaveLength(3);
  end.abort(new Error('the test has ended'));
  await running;
}, 20_000);
