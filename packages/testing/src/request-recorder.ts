import { once } from 'node:events';
import {
  Agent as HttpAgent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { parseRequest } from '@holdfast/apiserver';
import { readKubeconfig } from './controllers/api-client.ts';

/** A request that was answered, described by the attributes that authorization uses. */
export interface RecordedRequest {
  /** The verb, such as `list`. For a path that is not a resource, the HTTP method in lower case. */
  readonly verb: string;
  /** The API group. Empty for the core group, and for paths that are not resources. */
  readonly group: string;
  /** The plural. Empty for paths that are not resources. */
  readonly resource: string;
  /** Empty for a request for the object itself. */
  readonly subresource: string;
  /** Empty for requests across the whole cluster. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  /** The path without its query. */
  readonly path: string;
  /** Whether the patch is a server-side apply, which creates the object if it does not exist. */
  readonly isApply: boolean;
  /** The HTTP status; 0 if no answer came. */
  readonly code: number;
}

/**
 * A proxy between a program and the API server. It passes everything on as it comes, and records the
 * requests.
 */
export interface RequestRecorder {
  /** A kubeconfig as text for the program: plain http, with the credentials that were given. */
  readonly kubeconfig: string;
  /** The requests in the order of their answers. A watch counts as answered when it begins. */
  readonly requests: readonly RecordedRequest[];
  /** Closes all connections. Idempotent. */
  close(): Promise<void>;
}

export interface RequestRecorderOptions {
  /** Called for each request when it is answered. Default: not called. */
  readonly answered?: (request: RecordedRequest) => void;
}

/**
 * Starts a recorder in front of the API server that a kubeconfig names.
 *
 * @param kubeconfig must have a single user with a bearer token, as the control planes of this package write
 *   it
 * @throws if its current context leads to no server, or to a user without a bearer token
 */
export async function startRequestRecorder(
  kubeconfig: string,
  { answered }: RequestRecorderOptions = {},
): Promise<RequestRecorder> {
  const { server: upstream, ca, token } = readKubeconfig(kubeconfig);
  const isHttps = upstream.startsWith('https:');
  const agent = isHttps
    ? new HttpsAgent({ keepAlive: true, secureContext: createSecureContext({ ca }) })
    : new HttpAgent({ keepAlive: true });
  const send = isHttps ? httpsRequest : httpRequest;
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();

  const record = ({ method = 'GET', url = '/', headers }: IncomingMessage, code: number): void => {
    const info = parseRequest(method, url);
    const isApply =
      method === 'PATCH' && headers['content-type']?.startsWith('application/apply-patch') === true;
    const request: RecordedRequest =
      info.kind === 'resource'
        ? {
            verb: info.verb,
            group: info.group,
            resource: info.resource,
            subresource: info.subresource,
            namespace: info.namespace,
            name: info.name,
            path: info.path,
            isApply,
            code,
          }
        : { ...noResource, verb: method.toLowerCase(), path: info.path, isApply, code };
    requests.push(request);
    answered?.(request);
  };

  const pass = (message: IncomingMessage, response: ServerResponse): void => {
    const { method = 'GET', url = '/', headers } = message;
    const forward = send(upstream + url, {
      method,
      agent,
      headers: { ...headers, host: new URL(upstream).host },
    });
    const breakOff = (): void => void response.destroy();
    forward.on('response', (answer) => {
      record(message, answer.statusCode ?? 0);
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', breakOff);
      // An answer that is cut off in the middle ends without an error event.
      answer.on('close', () => {
        if (!answer.complete) {
          breakOff();
        }
      });
    });
    forward.on('error', () => {
      if (!response.headersSent && !response.destroyed) {
        record(message, 0);
      }
      breakOff();
    });
    response.on('close', () => forward.destroy());
    message.pipe(forward);
  };

  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, pass);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

  let closed: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    const over = once(server, 'close');
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
    await over;
    agent.destroy();
  };

  return {
    kubeconfig: kubeconfigFor(url, token),
    requests,
    close: async () => {
      await (closed ??= close());
    },
  };
}

const noResource = { group: '', resource: '', subresource: '', namespace: '', name: '' };

function kubeconfigFor(server: string, token: string): string {
  const name = 'recorded';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
