import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { TLSSocket } from 'node:tls';

/** An API server without any object, behind TLS. */
export interface ApiFront {
  readonly url: string;
  /**
   * Called for each request, with whether the client has shown a certificate that the server trusts; false is answered
   * with 401. Default: all may.
   */
  admit: (request: IncomingMessage, isCertified: boolean) => boolean;
  close(): Promise<void>;
}

export async function startApiFront(tls: { readonly cert: string; readonly key: string }): Promise<ApiFront> {
  const server = createServer({ ...tls, ca: tls.cert, requestCert: true, rejectUnauthorized: false });
  const front: ApiFront = {
    get url() {
      return `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    },
    admit: () => true,
    close: closeWithAll(server),
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    const answer = (code: number, body: object): void => {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const url = request.url ?? '';
    if (!front.admit(request, request.socket instanceof TLSSocket && request.socket.authorized)) {
      answer(401, { kind: 'Status', code: 401, reason: 'Unauthorized' });
    } else if (url.includes('sendInitialEvents')) {
      answer(422, {
        kind: 'Status',
        code: 422,
        reason: 'Invalid',
        message: 'sendInitialEvents is forbidden',
      });
    } else if (url.includes('watch=true')) {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    } else {
      answer(200, { metadata: { resourceVersion: '1' }, items: [] });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return front;
}

/**
 * Node's `closeAllConnections` leaves those alone whose handshake is not over, and `close` waits two minutes for them.
 *
 * @returns what closes the server, and all connections that are made from now on.
 */
export function closeWithAll(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      sockets.forEach((socket) => socket.destroy());
    });
}

/** A proxy that opens tunnels by HTTP's CONNECT. */
export interface ConnectProxy {
  readonly url: string;
  /** Where tunnels were opened to. */
  readonly tunnels: readonly string[];
  /** What came with the requests for tunnels, as text. */
  readonly heads: readonly string[];
  close(): Promise<void>;
}

/** @param refusals that many requests for tunnels are answered with 407, which repeats their heads. Default none. */
export async function startConnectProxy(refusals = 0): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const heads: string[] = [];
  const server = createTcpServer((near) => {
    near.on('error', () => undefined);
    near.once('data', (head: Buffer) => {
      const text = head.toString('latin1');
      heads.push(text);
      if (heads.length <= refusals) {
        const repeated = text.replaceAll(/\s+/g, ' ');
        near.end(
          `HTTP/1.1 407 Refused ${repeated}\r\nX-Refused: ${repeated}\r\ncontent-length: ${String(text.length)}\r\n\r\n${text}`,
        );
        return;
      }
      const [, host = '', port = ''] = /^CONNECT ([^:]+):(\d+) /.exec(text) ?? [];
      tunnels.push(`${host}:${port}`);
      const far = connect(Number(port), host, () => {
        near.write('HTTP/1.1 200 Connection established\r\n\r\n');
        near.pipe(far).pipe(near);
      });
      far.on('error', () => near.destroy());
      // A process that is killed resets its connections, which ends no pipe.
      near.once('close', () => far.destroy());
    });
  });
  const close = closeWithAll(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    tunnels,
    heads,
    close,
  };
}
