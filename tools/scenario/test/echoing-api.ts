import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { closeWithAll } from './api-front.ts';

/** A request as the server took it. */
export interface Taken {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The client has shown the certificate that the server trusts. */
  readonly isCertified: boolean;
  readonly body: string;
}

/** An API server, or what stands before one, that repeats the secrets of its callers in whatever it refuses. */
export interface EchoingApi {
  readonly url: string;
  /** Every request so far. */
  readonly requests: readonly Taken[];
  /** What was refused so far, as `<code> <method> <path>`, with how the secrets were repeated. */
  readonly refusals: readonly string[];
  /** Answers that were broken off so that nothing of them can be read. */
  readonly broken: readonly string[];
  /**
   * From now on only these are served: all watches end, and whatever else comes is answered with 401, repeating its
   * secrets.
   */
  serveOnly(admits: (taken: Taken) => boolean): void;
  close(): Promise<void>;
}

type Kind = Readonly<{ metadata: Readonly<Record<string, unknown>> }>;

/**
 * @param objects by the path of their collection. All else is empty, but for Secrets, which are found by their name.
 *
 * Refused are, each once: the list of every kind, by 401 and plain text, by 403, or by 500 and what is as long as the
 * log of a proxy; the first watch of a kind, in the stream; every patch and every creation, which succeed when they
 * come again. The second watch of a kind is broken off in the middle of an object.
 */
export async function startEchoingApi(
  tls: { readonly cert: string; readonly key: string },
  objects: Readonly<Record<string, readonly Kind[]>>,
): Promise<EchoingApi> {
  const requests: Taken[] = [];
  const refusals: string[] = [];
  const broken: string[] = [];
  const times = new Map<string, number>();
  /** How often the key was seen before. */
  const seen = (key: string): number => {
    const count = times.get(key) ?? 0;
    times.set(key, count + 1);
    return count;
  };
  const lists: string[] = [];
  const watches = new Set<ServerResponse>();
  let admits: (taken: Taken) => boolean = () => true;

  const answer = (taken: Taken, response: ServerResponse): void => {
    const { method, path, query, body } = taken;
    const send = (code: number, object: unknown): void => {
      response
        .writeHead(code, { 'content-type': 'application/json' })
        .end(typeof object === 'string' ? object : JSON.stringify(object));
    };
    const refuse = (code: number, reason: string): void => {
      refusals.push(`${String(code)} ${method} ${path}`);
      send(code, statusOf(code, reason, taken));
    };
    const inPath = path.split('/');
    const collection = objects[path] ?? objects[collectionOf(inPath)];
    const found = (collection ?? []).find(({ metadata }) => metadata['name'] === inPath.at(-1));

    const turnAway = (): void => {
      // Of a 401 the client makes a second try by itself.
      refusals.push(`401 ${method} ${path}`);
      response.writeHead(401, { 'content-type': 'text/plain' }).end(`Unauthorized: ${echo(taken)}`);
    };
    if (!admits(taken)) {
      turnAway();
    } else if (query.get('sendInitialEvents') !== null) {
      send(422, { kind: 'Status', code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' });
    } else if (query.get('watch') !== null) {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      watches.add(response);
      response.once('close', () => watches.delete(response));
      switch (seen(`watch ${path}`)) {
        case 0:
          refusals.push(`event ${path}`);
          response.write(
            `${JSON.stringify({ type: 'ERROR', object: statusOf(500, 'InternalError', taken) })}\n`,
          );
          break;
        case 1:
          broken.push(path);
          response.write(`{"type":"ADDED","object":${tokenOf(taken)}}\n`);
      }
    } else if (method === 'GET' && isCollection(inPath)) {
      if (seen(`list ${path}`) === 0) {
        lists.push(path);
      }
      const attempt = seen(`answered ${path}`);
      switch (lists.indexOf(path) % 3) {
        case 0:
          if (attempt < 2) {
            turnAway();
            return;
          }
          break;
        case 1:
          if (attempt < 1) {
            refuse(403, 'Forbidden');
            return;
          }
          break;
        case 2:
          if (attempt < 1) {
            refusals.push(`500 ${method} ${path}`);
            // The error shows the first 500 characters of a text: the secret is cut in two.
            response
              .writeHead(500, { 'content-type': 'text/plain' })
              .end(`${'upstream '.repeat(54)}${tokenOf(taken)}`);
            return;
          }
      }
      send(200, { metadata: { resourceVersion: '1' }, items: objects[path] ?? [] });
    } else if (method === 'GET') {
      if (found === undefined) {
        send(404, { kind: 'Status', code: 404, reason: 'NotFound', message: `"${path}" not found` });
      } else {
        send(200, found);
      }
    } else if (path.endsWith('/tokenreviews') && seen(`review ${body}`) > 0) {
      send(201, { status: { authenticated: true, user: { username: 'prometheus' } } });
    } else if (path.endsWith('/subjectaccessreviews')) {
      send(201, { status: { allowed: true } });
    } else if (seen(`${method} ${path} ${String(query)}`) === 0) {
      refuse(path.includes('leases') ? 500 : 403, 'Forbidden');
    } else {
      const written = found ?? (JSON.parse(body) as Kind);
      send(method === 'POST' ? 201 : 200, {
        ...(method === 'POST' ? written : found),
        metadata: {
          ...(method === 'PATCH' ? { name: inPath.at(-1) } : {}),
          ...written.metadata,
          uid: 'made',
          resourceVersion: '2',
        },
      });
    }
  };

  const server = createServer({ ...tls, ca: tls.cert, requestCert: true, rejectUnauthorized: false });
  const close = closeWithAll(server);
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'https://server');
      const taken = {
        method: request.method ?? '',
        path: pathname,
        query: searchParams,
        headers: request.headers,
        isCertified: request.socket instanceof TLSSocket && request.socket.authorized,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(taken);
      answer(taken, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    requests,
    refusals,
    broken,
    serveOnly: (callers) => {
      admits = callers;
      watches.forEach((watch) => watch.end());
    },
    close,
  };
}

function statusOf(code: number, reason: string, taken: Taken): object {
  const message = `refused: ${echo(taken)}`;
  return {
    kind: 'Status',
    code,
    reason,
    message,
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'spec.token' }] },
  };
}

/** The header as it came; the secret in it; and that in the spellings of those who pass it on. */
function echo(taken: Taken): string {
  const token = tokenOf(taken);
  return [
    taken.headers.authorization,
    token,
    Buffer.from(`token ${token}`).toString('base64'),
    encodeURIComponent(token),
    JSON.stringify(token),
    /\/(tokenreviews|secrets)(\/|$)/.test(taken.path) ? taken.body : '',
  ].join(' ');
}

/** The bearer token, or the password. */
function tokenOf({ headers }: Taken): string {
  const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
  return scheme === 'Basic' ? (Buffer.from(token, 'base64').toString().split(':')[1] ?? '') : token;
}

/** `/api/v1/namespaces/ns/pods` and `/apis/apps/v1/statefulsets`, not what is below them. */
function isCollection(path: readonly string[]): boolean {
  const base = path[1] === 'api' ? 3 : 4;
  return (path.length - base) % 2 === 1;
}

/** Where an object is listed with those of all namespaces. */
function collectionOf(path: readonly string[]): string {
  const base = path[1] === 'api' ? 3 : 4;
  const isNamespaced = path[base] === 'namespaces' && path.length > base + 2;
  return [...path.slice(0, base), path[isNamespaced ? base + 2 : base]].join('/');
}
