import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import type { BindAddress } from '../flags/bind-address.ts';
import { UsageError } from '../flags/command-line.ts';
import { inTurn } from './in-turn.ts';
import type { CertificateSource } from './serving-certificate.ts';

/** Limits on callers of a server, so that strangers cannot use up the descriptors of the process (H13). */
export interface CallerLimits {
  /**
   * A caller that has not sent its request, or its part of a handshake, within this time loses its
   * connection. In milliseconds.
   */
  readonly patience: number;
  /** A caller that takes nothing of its response for this long loses its connection. In milliseconds. */
  readonly idle: number;
  /** The most connections. */
  readonly connections: number;
}

/**
 * Enough for a kubelet and a few scrapers. Their requests are answered within the 10 s that the API server
 * has to authenticate them.
 */
const callerLimits: CallerLimits = { patience: 10_000, idle: 30_000, connections: 256 };

/** Answers the requests of one path. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface HttpServer {
  /** The purpose of the server, as its flag names it. */
  readonly purpose: string;
  /** The `host:port` that it listens on. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves GET on the given paths; anything else is 404.
 *
 * @param tls serves https with its certificates, until closed. Default: http.
 * @param limits default: 10 s for a request, 30 s for a part of its response, 256 connections. One more closes
 *   the oldest.
 * @throws UsageError if the address cannot be listened on: it is in use, not this machine's, or not allowed.
 */
export async function serveHttp(
  purpose: string,
  bind: Extract<BindAddress, { readonly kind: 'listen' }>,
  routes: Readonly<Record<string, HttpHandler>>,
  logger: Logger,
  tls?: CertificateSource,
  { patience, idle, connections }: CallerLimits = callerLimits,
): Promise<HttpServer> {
  const answer = inTurn((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const handler = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (handler === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
      return;
    }
    Promise.resolve()
      .then(() => handler(request, response))
      .catch((error: unknown) => {
        logger.error({ err: error, path }, 'Request failed');
        response.writeHead(500, { 'content-type': 'text/plain' }).end('internal error\n');
      });
  });
  // By default Node looks for late callers only every 30 s.
  const limits = {
    headersTimeout: patience,
    requestTimeout: patience,
    connectionsCheckingInterval: patience / 2,
  };
  const server =
    tls === undefined
      ? createServer(limits, answer)
      : createHttpsServer({ ...limits, handshakeTimeout: patience }, answer);
  server.timeout = idle;
  limitConnections(server, connections);
  const listening = await listenOn(server, purpose, bind);
  const closed = new AbortController();
  const following = tls?.follow(
    ({ certificate: cert, key }) =>
      (server as HttpsServer).setSecureContext({ cert, key, minVersion: 'TLSv1.2' }),
    closed.signal,
  );
  return {
    ...listening,
    close: async () => {
      closed.abort(new Error(`${purpose} is closed`));
      await Promise.all([following, listening.close()]);
    },
  };
}

/**
 * Closes the oldest connection where there would be too many. If new ones were refused instead, whoever holds
 * all of them would shut out the kubelet, which then ends the process.
 */
function limitConnections(server: Server | HttpsServer, most: number): void {
  const open = connectionsOf(server);
  server.on('connection', () => {
    for (const oldest of open) {
      if (open.size <= most) {
        break;
      }
      open.delete(oldest);
      oldest.destroy();
    }
  });
}

/** Returns the connections of a server, the oldest first, those without a finished handshake too. */
function connectionsOf(server: Server | HttpsServer): Set<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

/**
 * Starts listening.
 *
 * @param purpose of the server; `--<purpose>-bind-address` is its flag.
 * @param grace how long closing the server waits for requests under way, in milliseconds. Default: 0.
 * @throws UsageError if the address cannot be listened on: it is in use, not this machine's, or not allowed.
 */
export async function listenOn(
  server: Server | HttpsServer,
  purpose: string,
  bind: Extract<BindAddress, { readonly kind: 'listen' }>,
  grace = 0,
): Promise<HttpServer> {
  const open = connectionsOf(server);
  await listen(server, purpose, bind);
  const { address, family, port } = server.address() as AddressInfo;
  const shown = `${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;
  return {
    purpose,
    address: shown,
    close: () =>
      new Promise((resolve) => {
        // Node's closeAllConnections leaves those whose handshake has not ended.
        const timer = setTimeout(() => open.forEach((socket) => socket.destroy()), grace);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function listen(
  server: Server | HttpsServer,
  purpose: string,
  { host, port }: Extract<BindAddress, { readonly kind: 'listen' }>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${host ?? ''}:${String(port)}`;
      const reason = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      reject(
        new UsageError(
          `can't serve ${purpose} on ${where}: ${reason}; choose another with --${purpose}-bind-address`,
        ),
      );
    });
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
}
