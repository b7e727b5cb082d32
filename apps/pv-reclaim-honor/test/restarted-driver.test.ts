import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { systemClock } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import { startCsiDriver, type CsiDriver } from '@holdfast/testing';
import { pino } from 'pino';
import { createCsiDrivers, type CsiDrivers } from '../src/csi/csi-drivers.ts';
import { answer, messages, refuse } from './grpc-answers.ts';

/*
 * A driver that has just started might not know its volumes yet, and report as deleted what it does not know. Until
 * then its Probe says that it is not ready.
 */

let folder: string;
let driver: CsiDriver;
let successor: CsiDriver | undefined;
let drivers: CsiDrivers;
let connections: number;
let end: () => Promise<void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-restarted-'));
  driver = await start();
  successor = undefined;
  await driver.addVolume('v');
  await driver.addVolume('other');
  connections = 0;
  drivers = createCsiDrivers({
    addresses: [driver.address],
    timeout: 10_000,
    logger: pino({ level: 'silent' }),
    clock: systemClock,
    onReady: () => (connections += 1),
  });
  const stop = new AbortController();
  const running = drivers.run(stop.signal);
  end = async () => {
    stop.abort();
    await running;
  };
  await connected(1);
});

afterEach(async () => {
  await end();
  await driver.stop();
  await successor?.stop();
  await rm(folder, { recursive: true, force: true });
});

const start = (name = 'a.example.com'): Promise<CsiDriver> =>
  startCsiDriver({ name, folder: join(folder, 'volumes'), socket: join(folder, 'csi.sock') });
const connected = (times: number): Promise<void> =>
  eventually(`the driver has connected ${String(times)} times`, () => connections === times);
const deletion = (handle: string): Promise<void> =>
  drivers.deleteVolume(
    { driver: driver.name, handle, secrets: {} },
    {
      announce: () => Promise.resolve(),
      beforeDeletion: () => undefined,
      signal: new AbortController().signal,
    },
  );

test('driver restarted while nothing was deleted, not ready yet -> not asked to delete until it is', async () => {
  await driver.crash();
  driver.setReady(false);
  await driver.start();
  await eventually('the break is noticed', () => !drivers.isReady(driver.name));
  await expect(deletion('v')).rejects.toMatchObject({ name: 'DriverNotReadyError' });
  expect(driver.deletions).toStrictEqual([]);
  driver.setReady(true);
  await connected(2);
  await deletion('v');
  expect(driver.hasVolume('v')).toBe(false);
});

test('driver restarted while nothing was deleted, ready -> connected again before it is asked for anything', async () => {
  await driver.crash();
  await driver.start();
  await connected(2);
  await deletion('v');
  expect(driver.hasVolume('v')).toBe(false);
});

test('another driver served the socket for a while and had no volumes -> the first one is connected again', async () => {
  await driver.crash();
  successor = await start('renamed.example.com');
  await connected(2);
  expect(drivers.connected()).toEqual(['renamed.example.com']);
  await successor.crash();
  await driver.start();
  await connected(3);
  await deletion('v');
  expect(driver.hasVolume('v')).toBe(false);
});

test('a call is under way, another process serves the socket and is not ready -> that one is not asked to delete', async () => {
  const answers = Promise.withResolvers<undefined>();
  driver.inject({ kind: 'hold', until: answers.promise });
  const first = deletion('v');
  await eventually('the call is under way', () => driver.deletions.length === 1);
  successor = await start();
  successor.setReady(false);
  await expect(deletion('other')).rejects.toMatchObject({ name: 'DriverNotReadyError' });
  expect(successor.deletions).toStrictEqual([]);
  answers.resolve(undefined);
  await first;
  expect(driver.hasVolume('other')).toBe(true);
});

test('a call is under way, another process serves the socket and is not healthy -> connected again when it is', async () => {
  const answers = Promise.withResolvers<undefined>();
  driver.inject({ kind: 'hold', until: answers.promise });
  const first = deletion('v');
  await eventually('the call is under way', () => driver.deletions.length === 1);
  let isHealthy = false;
  const sessions: ServerHttp2Session[] = [];
  const server = createServer().on('session', (session) => sessions.push(session));
  server.on('stream', (stream, { ':path': path = '' }) => {
    const message = messages[path];
    if (isHealthy && message !== undefined) {
      answer(stream, message);
    } else {
      refuse(stream, status.FAILED_PRECONDITION);
    }
  });
  await rm(join(folder, 'csi.sock'));
  await new Promise<void>((resolve) => server.listen(join(folder, 'csi.sock'), resolve));
  try {
    await expect(deletion('other')).rejects.toMatchObject({ call: 'Probe', code: 'FAILED_PRECONDITION' });
    await eventually('the driver is away', () => !drivers.isReady(driver.name));
    isHealthy = true;
    await connected(2);
  } finally {
    answers.resolve(undefined);
    await first;
    server.close();
    sessions.forEach((session) => session.destroy());
  }
});
