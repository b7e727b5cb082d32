import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { ApiServer } from '../src/server.ts';

/** A plain HTTP client of one server, as bare as curl: what the tests assert is what is on the wire. */
export interface Client {
  send(method: string, path: string, body?: unknown, contentType?: string): Promise<Response>;
  /** Opens a watch; resolves when its headers are there. */
  watch(path: string): Promise<Watch>;
}

export interface Response {
  readonly code: number;
  readonly body: KubeBody;
  readonly headers: IncomingMessage['headers'];
}

/** As much of any answer as the tests look at. */
export interface KubeBody {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly metadata: {
    readonly name?: string;
    readonly uid?: string;
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly items: readonly KubeBody[];
  readonly code?: number;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> | string;
  readonly details?: { readonly retryAfterSeconds?: number };
}

export interface WatchedEvent {
  readonly type: string;
  readonly object: KubeBody;
}

export interface Watch {
  readonly code: number;
  /** The next event, waiting for it; undefined when the watch ended or broke. */
  next(): Promise<WatchedEvent | undefined>;
  /** Resolves when the stream is over: how it ended. */
  readonly ended: Promise<'closed' | 'reset'>;
  stop(): void;
}

export const configMaps = '/api/v1/namespaces/default/configmaps';
export const mergePatch = 'application/merge-patch+json';

/** Default: the admin of the server's kubeconfig. */
export function clientOf(server: ApiServer, token?: string): Client {
  const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
  const authorization = `Bearer ${token ?? users[0]?.user.token ?? ''}`;

  function open(method: string, path: string, body?: string, contentType?: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string> = { authorization };
      if (body !== undefined) {
        headers['content-type'] = contentType ?? 'application/json';
        headers['content-length'] = String(Buffer.byteLength(body));
      }
      const request = httpRequest(server.url + path, { method, headers, agent: false }, resolve);
      request.on('error', reject);
      request.end(body);
    });
  }

  return {
    async send(method, path, body, contentType) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const response = await open(method, path, text, contentType);
      let answer = '';
      response.setEncoding('utf8');
      for await (const chunk of response) {
        answer += chunk as string;
      }
      return {
        code: response.statusCode ?? 0,
        body: JSON.parse(answer) as KubeBody,
        headers: response.headers,
      };
    },
    async watch(path) {
      return readWatch(await open('GET', path));
    },
  };
}

function readWatch(response: IncomingMessage): Watch {
  const events: WatchedEvent[] = [];
  const waiting: ((event: WatchedEvent | undefined) => void)[] = [];
  let rest = '';
  let isOver = false;
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = JSON.parse(line) as WatchedEvent;
      const waiter = waiting.shift();
      if (waiter === undefined) {
        events.push(event);
      } else {
        waiter(event);
      }
    }
  });
  const ended = new Promise<'closed' | 'reset'>((resolve) => {
    const finish = (how: 'closed' | 'reset'): void => {
      isOver = true;
      for (const waiter of waiting.splice(0)) {
        waiter(undefined);
      }
      resolve(how);
    };
    response.on('end', () => finish('closed'));
    response.on('error', () => finish('reset'));
    response.on('close', () => finish('reset'));
  });
  return {
    code: response.statusCode ?? 0,
    ended,
    next() {
      const event = events.shift();
      if (event !== undefined) {
        return Promise.resolve(event);
      }
      return isOver ? Promise.resolve(undefined) : new Promise((resolve) => waiting.push(resolve));
    },
    stop: () => response.destroy(),
  };
}
