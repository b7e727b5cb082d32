import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import type { CsiDriver } from '@holdfast/testing';
import { pino } from 'pino';
import { createCsiConnection } from '../src/csi/csi-connection.ts';
import { createGivenSecrets } from '../src/csi/given-secrets.ts';
import { createCsiDrivers, type CsiDrivers } from '../src/csi/csi-drivers.ts';
import { openStorage, type Storage } from './stage.ts';

let storage: Storage;
let driver: CsiDriver;
let drivers: CsiDrivers;
let clock: FakeClock;
let line: Line;
let end: () => Promise<void>;
/** The clock's time of each connection. */
let connections: number[];
let connected: () => void;
const never = 3_600_000;

beforeEach(async () => {
  storage = await openStorage();
  driver = storage.driver;
  line = await openLine(join(storage.folder, 'line.sock'), driver);
  clock = createFakeClock();
  connections = [];
  drivers = createCsiDrivers({
    addresses: [line.address],
    timeout: never,
    logger: pino({ level: 'silent' }),
    clock,
    onReady: () => {
      connections.push(clock.now());
      connected();
    },
  });
  const stop = new AbortController();
  const first = connection();
  const running = drivers.run(stop.signal);
  end = async () => {
    stop.abort();
    await running;
  };
  await first;
});

afterEach(async () => {
  driver.heal();
  await end();
  await line.close();
  await storage.close();
});

/** A way to the driver that can be cut. */
interface Line {
  readonly address: string;
  /** Whoever was connected is not any more, and can be anew at once. */
  breakAll(): void;
  close(): Promise<void>;
}

async function openLine(socket: string, { address }: CsiDriver): Promise<Line> {
  const sockets = new Set<Socket>();
  const breakAll = (): void => {
    sockets.forEach((each) => each.destroy());
    sockets.clear();
  };
  const server = createServer((near) => {
    const far = createConnection(fileURLToPath(address.replace('unix:', 'file:')));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    address: `unix://${socket}`,
    breakAll,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        breakAll();
      }),
  };
}

function connection(): Promise<void> {
  return new Promise((resolve) => {
    connected = resolve;
  });
}

const deleteOne = (): Promise<void> =>
  drivers.deleteVolume(
    { driver: driver.name, handle: 'v', secrets: {} },
    {
      announce: () => Promise.resolve(),
      beforeDeletion: () => undefined,
      signal: new AbortController().signal,
    },
  );

test.each(['UNAVAILABLE', 'CANCELLED'] as const)(
  'X3: driver itself answers %s, as when its storage system is away -> the call failed, the driver is still there',
  async (code) => {
    driver.inject({ kind: 'fail', code, message: 'the storage system is away' });
    for (let n = 0; n < 3; n++) {
      await expect(deleteOne()).rejects.toMatchObject({ code, unavailable: false });
      expect(drivers.isReady(driver.name)).toBe(true);
    }
    expect(connections).toHaveLength(1);
  },
);

test('X3: each deletion breaks the connection, a new one can be made at once -> the next ones are made later and later', async () => {
  driver.inject({ kind: 'hold', until: new Promise(() => undefined) });
  const probe = createCsiConnection(driver.address, never, createGivenSecrets());
  const { signal } = new AbortController();
  await probe.isReady(signal);
  for (let n = 0; n < 4; n++) {
    const before = connections.length;
    const broken = expect(deleteOne()).rejects.toMatchObject({ unavailable: true });
    while (driver.deletions.length <= n) {
      await probe.canDeleteVolumes(signal);
    }
    line.breakAll();
    await broken;
    while (connections.length === before) {
      // Longer than it takes to connect: the clock moves on only for those who wait for it.
      for (let m = 0; m < 20; m++) {
        await probe.canDeleteVolumes(signal);
      }
      await clock.advance(50);
    }
  }
  probe.close();
  const pauses = connections.slice(1).map((at, index) => at - (connections[index] ?? 0));
  expect(pauses[1]).toBeGreaterThanOrEqual(200);
  expect(pauses[2]).toBeGreaterThanOrEqual(400);
  expect(pauses[3]).toBeGreaterThanOrEqual(800);
}, 30_000);

test('X3: driver closes the connection ten seconds after the last call, each time -> connected again at once', async () => {
  for (let n = 1; n < 8; n++) {
    await clock.advance(10_000);
    line.breakAll();
    await eventually('the driver is connected again', () => connections.length > n);
  }
  expect(connections).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7].map((n) => n * 10_000 + (connections[0] ?? 0)));
});
