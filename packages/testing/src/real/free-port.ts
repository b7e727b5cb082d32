import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ProcessFailedError } from './process.ts';

/**
 * Ports are taken from below the range that operating systems use for outgoing connections and for
 * `listen(0)`, so that a server that is killed and restarted finds its port still free. (get-port and similar
 * packages take ports from inside that range.)
 */
const firstPort = 20_000;
const lastPort = 29_999;

/**
 * How many ports are tried before giving up; two control planes that start at the same time might pick the
 * same one.
 */
const attempts = 10;

/**
 * Starts a server that must be given its port. The port was free a moment ago; if another program has taken
 * it since, and the server's output says so as it ends, another port is tried.
 *
 * @throws what `start` throws, unless the output says that the address is in use
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort();
    try {
      return await start(port);
    } catch (error) {
      if (attempt === attempts || !isAddressInUse(error)) {
        throw error;
      }
    }
  }
}

export function isAddressInUse(error: unknown): boolean {
  return error instanceof ProcessFailedError && error.output.includes('address already in use');
}

async function findFreePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(firstPort, lastPort + 1);
    const server = createServer();
    try {
      await once(server.listen({ port, host: '127.0.0.1', exclusive: true }), 'listening');
    } catch (error) {
      if (attempt === attempts) {
        throw error;
      }
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
