import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { HttpResponse } from './exchange.ts';
import type { ListeningServer } from './listening-server.ts';

/** The TCP connection below a TLS one or a session of HTTP/2; only it can be reset. */
const below = new WeakMap<Socket | Http2Session, Socket>();

/** The code of RST_STREAM that a client takes for an error of the server, and for no end. */
const internalError = 2;

/** The open TCP connections of a server. */
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
  // Its socket is a proxy, which is no key that is found again.
  server.on('session', (session: Http2Session) => {
    const tcp = byPeer.get(session.socket.remotePort ?? 0);
    if (tcp !== undefined) {
      below.set(session, tcp);
    }
  });
  return open;
}

/**
 * Resets (RST) the connection of a response, as a crashed server or a dropped NAT entry does. Over HTTP/2 every request on it
 * breaks.
 *
 * A connection that is already being closed in order, as Node's server does when the client has closed its side, is destroyed
 * without a reset. libuv refuses to reset a socket that it is shutting down (`uv_tcp_close_reset`: EINVAL), yet Node then counts
 * the handle as closing (`TCPWrap::Reset`). Nothing ever closes it, and at its end the process waits for it in a busy loop.
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

/** Ends a response as broken: over HTTP/2 its stream, so that no other request of its client suffers; else its connection. */
export function breakOff(response: HttpResponse): void {
  if (response.stream === undefined) {
    resetConnection(response);
  } else {
    response.stream.close(internalError);
  }
}

/** Lets the requests on a connection of HTTP/2 end, and takes no more (GOAWAY). Nothing happens over HTTP/1.1. */
export function takeNoMore({ stream }: HttpResponse): void {
  stream?.session?.close();
}

function resetSocket(socket: Socket, tcp: Socket = socket): void {
  if (socket.writableEnded) {
    tcp.destroy();
  } else {
    tcp.resetAndDestroy();
  }
}
