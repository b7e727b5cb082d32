import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A TCP proxy that keeps what clients send, until it is released: a connection to a TLS server does not come to be
 * before that.
 */
export interface HoldingProxy {
  readonly port: number;
  /** Bytes that are kept back. */
  readonly held: number;
  /** Passes on what was kept, and all that comes. */
  release(): void;
  close(): Promise<void>;
}

export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const kept: (() => void)[] = [];
  let held = 0;
  let isReleased = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    far.pipe(near);
    near.on('data', (chunk: Buffer) => {
      if (isReleased) {
        far.write(chunk);
      } else {
        held += chunk.length;
        kept.push(() => far.write(chunk));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get held() {
      return held;
    },
    release: () => {
      isReleased = true;
      held = 0;
      kept.splice(0).forEach((pass) => pass());
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
