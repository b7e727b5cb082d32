import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { onFreePort } from '../../src/real/free-port.ts';
import { startProcess, untilReady } from '../../src/real/process.ts';

/** Fails as a server does whose port is taken. */
async function complain(message: string): Promise<never> {
  const guard = { watch: () => undefined, forget: () => undefined, dismiss: () => Promise.resolve() };
  const running = await startProcess({
    name: 'server',
    command: '/bin/sh',
    args: ['-c', `echo "${message}" >&2; exit 1`],
    cwd: '/',
    guard,
  });
  await untilReady(running, () => Promise.resolve('not yet'));
  throw new Error('it became ready');
}

describe('onFreePort', () => {
  test('port given -> free, and below the range of outgoing connections', async () => {
    await onFreePort(async (port) => {
      expect(port).toBeGreaterThanOrEqual(20_000);
      expect(port).toBeLessThan(30_000);
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
    });
  });

  test('taken meanwhile -> another port is tried', async () => {
    const ports: number[] = [];
    const result = await onFreePort((port) => {
      ports.push(port);
      return ports.length < 3
        ? complain('failed to create listener: listen tcp 127.0.0.1: bind: address already in use')
        : Promise.resolve('served');
    });
    expect(result).toBe('served');
    expect(ports).toHaveLength(3);
  });

  test('fails for another reason -> thrown at once', async () => {
    let starts = 0;
    const starting = onFreePort(() => {
      starts++;
      return complain('unknown flag: --bogus');
    });
    await expect(starting).rejects.toThrow('unknown flag: --bogus');
    expect(starts).toBe(1);
  });

  test('always taken -> gives up with what the server said', async () => {
    let starts = 0;
    const starting = onFreePort(() => {
      starts++;
      return complain('bind: address already in use');
    });
    await expect(starting).rejects.toThrow('address already in use');
    expect(starts).toBe(10);
  });
});
