import { pbkdf2 } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { startCsiDriver, type CsiDriver } from '../../src/csi/csi-driver.ts';

let folder: string;
let driver: CsiDriver;
let client: Client;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-csi-'));
  driver = await startCsiDriver({ folder: join(folder, 'volumes'), socket: join(folder, 'csi.sock') });
  client = new Client(driver.address, credentials.createInsecure(), {
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 100,
  });
});

afterEach(async () => {
  client.close();
  await driver.stop();
  await rm(folder, { recursive: true });
});

/** A call in the bytes of the wire, so that the driver's own messages are not tested by themselves. */
function call(method: string, request: Buffer, timeout = 10_000): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest<Buffer, Buffer>(
      `/csi.v1.${method}`,
      (bytes) => bytes,
      (bytes) => bytes,
      request,
      new Metadata({ waitForReady: true }),
      { deadline: Date.now() + timeout },
      (error, answer) => {
        if (error === null) {
          resolve(answer ?? Buffer.alloc(0));
        } else {
          reject(error);
        }
      },
    );
  });
}

const text = (field: number, value: string): Buffer =>
  Buffer.concat([Buffer.from([(field << 3) | 2, value.length]), Buffer.from(value)]);
const deleteVolume = (handle: string, timeout?: number): Promise<Buffer> =>
  call('Controller/DeleteVolume', text(1, handle), timeout);
const codeOf = (failing: Promise<unknown>): Promise<number | undefined> =>
  failing.then(
    () => undefined,
    (error: unknown) => (error as ServiceError).code,
  );

describe('CSI driver for tests', () => {
  test('asked for its name and capabilities -> answers by the field numbers of the interface', async () => {
    expect(await call('Identity/GetPluginInfo', Buffer.alloc(0))).toEqual(
      Buffer.concat([text(1, 'csi.holdfast.dev'), text(2, '0')]),
    );
    expect(await call('Identity/GetPluginCapabilities', Buffer.alloc(0))).toEqual(
      Buffer.from([0x0a, 4, 0x0a, 2, 0x08, 1]),
    );
    expect(await call('Controller/ControllerGetCapabilities', Buffer.alloc(0))).toEqual(
      Buffer.from([0x0a, 4, 0x0a, 2, 0x08, 1]),
    );
  });

  test('Probe -> ready, or not when set so', async () => {
    expect(await call('Identity/Probe', Buffer.alloc(0))).toEqual(Buffer.from([0x0a, 2, 0x08, 1]));
    driver.setReady(false);
    expect(await call('Identity/Probe', Buffer.alloc(0))).toEqual(Buffer.from([0x0a, 2, 0x08, 0]));
  });

  test('volume deleted twice -> gone, OK both times, and both counted with their secrets', async () => {
    await driver.addVolume('v');
    expect(driver.hasVolume('v')).toBe(true);
    const entry = Buffer.concat([text(1, 'user'), text(2, 'me')]);
    const secrets = Buffer.concat([Buffer.from([(2 << 3) | 2, entry.length]), entry]);
    await call('Controller/DeleteVolume', Buffer.concat([text(1, 'v'), secrets]));
    expect(driver.hasVolume('v')).toBe(false);
    await deleteVolume('v');
    expect(driver.deletions).toEqual([
      { handle: 'v', secrets: { user: 'me' }, code: 'OK' },
      { handle: 'v', secrets: {}, code: 'OK' },
    ]);
  });

  test('set to fail once -> the volume stays, then goes', async () => {
    await driver.addVolume('v');
    driver.inject({ kind: 'fail', code: 'INTERNAL', message: 'no luck' }, 1);
    expect(await codeOf(deleteVolume('v'))).toBe(status.INTERNAL);
    expect(driver.hasVolume('v')).toBe(true);
    await deleteVolume('v');
    expect(driver.hasVolume('v')).toBe(false);
  });

  test('not idempotent -> a missing volume is answered with the code set', async () => {
    driver.inject({ kind: 'notIdempotent', code: 'NOT_FOUND' });
    expect(await codeOf(deleteVolume('v'))).toBe(status.NOT_FOUND);
  });

  test('started while it still crashes, files are slow -> its socket is there afterwards', async () => {
    let isOver = false;
    // Keeps the threads busy that carry out calls to the file system, so that these end out of order.
    const hold = (): void => {
      if (!isOver) {
        pbkdf2('password', 'salt', Math.ceil(Math.random() * 2_000), 32, 'sha1', hold);
      }
    };
    Array.from({ length: 6 }, hold);
    try {
      for (let round = 0; round < 200; round++) {
        const crashed = driver.crash();
        await driver.start();
        await crashed;
        expect(existsSync(join(folder, 'csi.sock'))).toBe(true);
      }
    } finally {
      isOver = true;
    }
  });

  test.each([
    ['before', true],
    ['after', false],
  ] as const)(
    'crash %s the deletion -> no answer, volume there: %s; started again it serves',
    async (when, isThere) => {
      await driver.addVolume('v');
      driver.inject({ kind: 'crash', when }, 1);
      // What the server's library sends with its last breath; of a process that is killed it is UNAVAILABLE.
      expect([status.CANCELLED, status.UNAVAILABLE]).toContain(await codeOf(deleteVolume('v')));
      expect(driver.hasVolume('v')).toBe(isThere);
      await driver.start();
      await deleteVolume('v');
      expect(driver.hasVolume('v')).toBe(false);
    },
  );

  test('who carries out the deletion rejects after it -> UNAVAILABLE, and the volume is gone', async () => {
    const socket = join(folder, 'other.sock');
    const other = await startCsiDriver({
      folder: join(folder, 'others'),
      socket,
      carryOut: async (_handle, deletion) => {
        await deletion();
        throw new Error('cut off');
      },
    });
    await other.addVolume('v');
    client.close();
    client = new Client(other.address, credentials.createInsecure());
    expect(await codeOf(deleteVolume('v'))).toBe(status.UNAVAILABLE);
    expect(other.hasVolume('v')).toBe(false);
    await other.stop();
  });

  test('two deletions of one volume at once -> seen; of two volumes -> not', async () => {
    const gate = Promise.withResolvers<undefined>();
    driver.inject({ kind: 'hold', until: gate.promise });
    const others = [deleteVolume('a'), deleteVolume('b')];
    while (driver.deletions.length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(driver.mostInFlight).toBe(1);
    const second = deleteVolume('a');
    while (driver.deletions.length < 3) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(driver.mostInFlight).toBe(2);
    gate.resolve(undefined);
    await Promise.all([...others, second]);
  });

  test('call past its deadline -> no longer under way', async () => {
    const gate = Promise.withResolvers<undefined>();
    driver.inject({ kind: 'hold', until: gate.promise }, 1);
    // One whose deadline passes before the driver has seen it proves nothing.
    for (let timeout = 50; driver.deletions.length === 0; timeout *= 2) {
      expect(await codeOf(deleteVolume('v', timeout))).toBe(status.DEADLINE_EXCEEDED);
    }
    await deleteVolume('v');
    expect(driver.mostInFlight).toBe(1);
    gate.resolve(undefined);
  });
});
