import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy that can play dead: connections stay open, TCP answers, and nothing comes through any more. */
export interface SwallowingProxy {
  readonly origin: string;
  /** Connections made so far. */
  readonly connections: number;
  /** From now on nothing passes on the connections that are there; new ones work. */
  swallow(): void;
  close(): Promise<void>;
}

export async function startSwallowingProxy(target: string): Promise<SwallowingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const alive = new Set<{ passes: boolean }>();
  let connections = 0;
  const server = createServer((near) => {
    connections += 1;
    const state = { passes: true };
    alive.add(state);
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        if (state.passes) {
          to.write(chunk);
        }
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        if (state.passes) {
          to.destroy();
        }
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    get connections() {
      return connections;
    },
    swallow: () => {
      for (const state of alive) {
        state.passes = false;
      }
      alive.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}
