import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { HttpResponse } from './exchange.ts';
import type { ListeningServer } from './listening-server.ts';

/** The TCP connection below a TLS connection or an HTTP/2 session. Only the TCP connection can be reset. */
const below = new WeakMap<object, Socket>();

/** The code of RST_STREAM that clients treat as a server error and not as a normal end. */
const internalError = 2;

/** Returns the open TCP connections of a server; the set is kept up to date. */
export function trackConnections(server: ListeningServer): ReadonlySet<Socket> {
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
  // The socket of an HTTP/2 session is a proxy object, so it cannot be used as a key.
  server.on('session', (session: Http2Session) => {
    const tcp = byPeer.get(session.socket.remotePort ?? 0);
    if (tcp !== undefined) {
      below.set(session, tcp);
    }
  });
  return open;
}

/**
 * Resets (RST) the connection of a response, as a crashed server or a dropped NAT entry does. Over HTTP/2
 * this breaks every request on the connection.
 *
 * A connection that is already being closed in the regular way, as Node's server does when the client has
 * closed its side, is destroyed without a reset. libuv refuses to reset a socket that it is shutting down
 * (`uv_tcp_close_reset`: EINVAL), but Node then counts the handle as closing (`TCPWrap::Reset`). Nothing ever
 * closes it, and when the process exits, it waits for the handle in a busy loop.
 */
export function resetConnection({ stream, socket }: HttpResponse): void {
  if (stream === undefined) {
    if (socket !== null) {
      resetSocket(socket, below.get(socket));
    }
  } else if (stream.session !== undefined && !stream.session.destroyed) {
    resetSocket(stream.session.socket, below.get(stream.session));
  }
}

/**
 * Ends a response as broken. Over HTTP/2 this resets only its stream, so that other requests of the client
 * are unaffected; over HTTP/1.1 it resets the connection.
 */
export function breakOff(response: HttpResponse): void {
  if (response.stream === undefined) {
    resetConnection(response);
  } else {
    response.stream.close(internalError);
  }
}

/**
 * Lets the requests on an HTTP/2 connection finish but accepts no new ones (GOAWAY). Does nothing over
 * HTTP/1.1.
 */
export function takeNoMore({ stream }: HttpResponse): void {
  stream?.session?.close();
}

function resetSocket(
  socket: NonNullable<HttpResponse['socket']>,
  tcp: NonNullable<HttpResponse['socket']> = socket,
): void {
  if (socket.writableEnded) {
    tcp.destroy();
  } else {
    tcp.resetAndDestroy();
  }
}
