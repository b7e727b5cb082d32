import { mkdtemp, rm } from 'node:fs/promises';
import { constants, createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { startCsiDriver, type CsiDriver } from '@holdfast/testing';
import { pino } from 'pino';
import { createCsiDrivers } from '../src/csi/csi-drivers.ts';
import { answer, messages } from './grpc-answers.ts';

/*
 * A driver that ends gracefully refuses the calls that come too late; gRPC clients send such calls anew unless they are
 * told not to.
 */

let folder: string;
let socket: string;
let successor: CsiDriver | undefined;
const leaving = createServer();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-refused-'));
  socket = join(folder, 'csi.sock');
  successor = undefined;
});

afterEach(async () => {
  leaving.close();
  await successor?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('driver refuses the call since it is leaving, another takes over its socket -> the other is not asked to delete', async () => {
  let refused = 0;
  leaving.on('stream', (stream, { ':path': path = '' }) => {
    const message = messages[path];
    if (message !== undefined) {
      answer(stream, message);
      return;
    }
    refused += 1;
    // Node reports on the server's side, too, what is done here on purpose.
    stream.on('error', () => undefined);
    void rm(socket, { force: true })
      .then(() => startCsiDriver({ name: 'b.example.com', folder: join(folder, 'b'), socket }))
      .then(async (driver) => {
        successor = driver;
        await driver.addVolume('vol-1');
        stream.session?.goaway(constants.NGHTTP2_NO_ERROR, (stream.id ?? 2) - 2);
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
      });
  });
  await new Promise<void>((resolve) => leaving.listen(socket, resolve));

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
  const deletion = drivers.deleteVolume(
    { driver: 'a.example.com', handle: 'vol-1', secrets: {} },
    { announce: () => Promise.resolve(), beforeDeletion: () => void (judged += 1), signal: end.signal },
  );
  await expect(deletion).rejects.toMatchObject({ name: 'CsiError', code: 'UNAVAILABLE' });
  end.abort(new Error('the test has ended'));
  await running;

  expect([refused, judged]).toEqual([1, 1]);
  expect(successor?.deletions).toStrictEqual([]);
  expect(successor?.hasVolume('vol-1')).toBe(true);
}, 20_000);
