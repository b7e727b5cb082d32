import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The TCP connection below a TLS one; only it can be reset. */
const below = new WeakMap<Socket, Socket>();

/** The open TCP connections of a server. */
export function trackConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const byPeer = new Map<number, Socket>();
  server.on('connection', (socket: Socket) => {
    const peer = socket.remotePort ?? 0;
    open.add(socket);
    byPeer.set(peer, socket);
    socket.setNoDelay(true);
    socket.once('close', () => {
      open.delete(socket);
      byPeer.delete(peer);
    });
  });
  server.on('secureConnection', (socket: Socket) => {
    const tcp = byPeer.get(socket.remotePort ?? 0);
    if (tcp !== undefined) {
      below.set(socket, tcp);
    }
  });
  return open;
}

/**
 * Resets (RST) the connection of a response, as a crashed server or a dropped NAT entry does.
 *
 * A connection that is already being closed in order, as Node's server does when the client has closed its side, is destroyed
 * without a reset. libuv refuses to reset a socket that it is shutting down (`uv_tcp_close_reset`: EINVAL), yet Node then counts
 * the handle as closing (`TCPWrap::Reset`). Nothing ever closes it, and at its end the process waits for it in a busy loop.
 */
export function resetConnection({ socket }: ServerResponse): void {
  if (socket === null) {
    return;
  }
  if (socket.writableEnded) {
    socket.destroy();
  } else {
    (below.get(socket) ?? socket).resetAndDestroy();
  }
}
