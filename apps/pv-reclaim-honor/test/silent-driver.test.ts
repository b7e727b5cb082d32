import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { startCsiDriver, type CsiDriver } from '@holdfast/testing';
import { pino } from 'pino';
import { createCsiDrivers } from '../src/csi/csi-drivers.ts';

/*
 * A driver of which nothing is left but the end of its connection, as of a process that can't be ended. Its successor
 * serves the same path.
 */

let folder: string;
let first: CsiDriver;
let successor: CsiDriver | undefined;
let between: ReturnType<typeof createServer>;
const held: Socket[] = [];
const end = new AbortController();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-silent-'));
  first = await startCsiDriver({ folder: join(folder, 'volumes'), socket: join(folder, 'first.sock') });
});

afterEach(async () => {
  held.forEach((socket) => socket.destroy());
  between.close();
  await first.stop();
  await successor?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('driver answers nothing any more while its connection stands, another process serves its socket -> its volumes are deleted by that', async () => {
  const path = join(folder, 'csi.sock');
  // Whoever connects while the first is there talks to it through this, which then passes nothing on, and closes
  // nothing.
  between = createServer((near) => {
    const far = createConnection(join(folder, 'first.sock'));
    near.pipe(far).pipe(near);
    held.push(near, far);
    [near, far].forEach((socket) => socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => between.listen(path, resolve));

  const ready = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  let connections = 0;
  const drivers = createCsiDrivers({
    addresses: [`unix://${path}`],
    timeout: 500,
    logger: pino({ level: 'silent' }),
    clock: systemClock,
    onReady: () => ready[connections++]?.resolve(undefined),
  });
  const running = drivers.run(end.signal);
  await ready[0]?.promise;
  held.forEach((socket) => socket.unpipe().pause());
  await rm(path);
  successor = await startCsiDriver({ folder: join(folder, 'volumes'), socket: path });
  await successor.addVolume('v');

  const deletion = () =>
    drivers.deleteVolume(
      { driver: first.name, handle: 'v', secrets: {} },
      { announce: () => Promise.resolve(), beforeDeletion: () => undefined, signal: end.signal },
    );
  await expect(deletion()).rejects.toMatchObject({ name: 'CsiError', code: 'DEADLINE_EXCEEDED' });
  await ready[1]?.promise;
  await deletion();
  expect(first.deletions).toStrictEqual([]);
  expect(successor.hasVolume('v')).toBe(false);
  end.abort(new Error('the test has ended'));
  await running;
}, 20_000);
