import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What a client sent. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers the request of that number, from 0. */
export type Answer = (response: ServerResponse, request: SeenRequest, number: number) => void;

export interface LocalServer {
  readonly origin: string;
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

/** An API server's place, on loopback: it records what comes and answers as the test says. */
export async function startLocalServer(answer: Answer, tls?: ServerOptions): Promise<LocalServer> {
  const requests: SeenRequest[] = [];
  const onRequest: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const seen = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(seen);
      answer(response, seen, requests.length - 1);
    });
  };
  const server: Server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${String(port)}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function answerJson(response: ServerResponse, code: number, body: unknown, headers = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The answer to a request for one object: that object, under the namespace and name of the path. */
export function answerAsked(
  response: ServerResponse,
  { url }: SeenRequest,
  object: { readonly metadata: object },
): void {
  const [, namespace, name = ''] = /(?:\/namespaces\/([^/]+))?\/[^/]+\/([^/?]+)(?:\?.*)?$/.exec(url) ?? [];
  const metadata = { ...object.metadata, namespace, name: decodeURIComponent(name) };
  answerJson(response, 200, { ...object, metadata });
}

/** An answer that is not a success, as the API server gives it. */
export function answerStatus(response: ServerResponse, code: number, reason: string, headers = {}): void {
  answerJson(
    response,
    code,
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: `it is ${reason}` },
    headers,
  );
}
