import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ResourceRequest } from '@holdfast/apiserver';
import { operatorRequest, type ApiRequest, type OperatorRequest } from './operator-request.ts';
import type { Place } from './place.ts';
import { isFromCache, staleList, staleWatch } from './stale-view.ts';
import { createUpstream, type Answer, type Sent } from './upstream.ts';
import { createWatchRelay, type PassingEvent, type WatchRelay } from './watch-relay.ts';

/** What happens to a request, or to its answer. */
export type Treatment =
  | { readonly kind: 'pass' }
  /** The proxy answers in place of the API server. */
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** The connection is reset. */
  | { readonly kind: 'reset' };

/**
 * Called for everything that passes between a process of the operator and the API server, and decides what
 * happens to it.
 */
export interface ProxyHooks {
  /** Called before the request is forwarded; the request waits until this resolves. */
  before(request: OperatorRequest): Promise<Treatment>;
  /**
   * Called when the API server has answered and a write has taken effect. Not called when a watch is opened.
   */
  after(request: OperatorRequest, answer: Answer): Promise<Treatment>;
  mayPass(event: PassingEvent): boolean;
  passed(event: PassingEvent): void;
  /** Called when anything has come or gone. */
  stirred(): void;
}

export interface ProxyOptions {
  /** The URL of the API server; plain http. */
  readonly upstream: string;
  readonly placeOf: (name: string) => Place;
  /** The revision at which the API server's cache is to appear; undefined for the newest. */
  readonly view: () => number | undefined;
  readonly hooks: ProxyHooks;
}

/** The proxy between one process of the operator and the API server. */
export interface Proxy {
  readonly url: string;
  /** How many requests are in flight, not counting open watches and requests that maintain a Lease. */
  readonly underWay: number;
  /** Whether a watch has delivered something that must not pass yet. */
  readonly isHolding: boolean;
  /**
   * Whether each watch that was ever opened is open and has delivered everything that it should, judged by
   * `isLevel`.
   */
  areWatchesLevel(isLevel: (request: ResourceRequest, received: number) => boolean): boolean;
  /** Passes on what may pass now. */
  flush(): void;
  /** Ends the watches that hold something back, so that only a new list shows the result. */
  expireHeld(): void;
  close(): Promise<void>;
}

interface OpenWatch {
  readonly request: ResourceRequest;
  readonly relay: WatchRelay;
}

export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { placeOf, view, hooks } = options;
  const upstream = createUpstream(options.upstream);
  const underWay = new Set<ServerResponse>();
  const watches = new Set<OpenWatch>();
  const watched = new Set<string>();
  const sockets = new Set<Socket>();

  const serve = async (
    request: ApiRequest,
    message: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const { method = 'GET', url = '/', headers } = message;
    const sent: Sent = { method, path: url, headers, body: await bodyOf(message) };
    const { effect, info } = request;
    const treatment = await hooks.before(request);
    if (treatment.kind !== 'pass') {
      carryOut(treatment, response);
    } else if (effect === 'watch' && info.kind === 'resource') {
      await follow(info, sent, response);
    } else {
      const answer = await upstream.ask(info.kind === 'resource' ? staleList(sent, info, view()) : sent);
      const last = await hooks.after(request, answer);
      carryOut(last.kind === 'pass' ? { kind: 'answer', answer } : last, response);
    }
  };

  const follow = async (request: ResourceRequest, sent: Sent, response: ServerResponse): Promise<void> => {
    const over = new AbortController();
    const relay = createWatchRelay({
      beginsWithState: request.query.get('sendInitialEvents') === 'true',
      from: Number(request.query.get('resourceVersion') ?? 0),
      mayPass: hooks.mayPass,
      send: (line) => void response.write(`${line}\n`),
      passed: hooks.passed,
      end: () => void response.end(),
    });
    const watch: OpenWatch = { request, relay };
    response.on('close', () => {
      watches.delete(watch);
      over.abort();
      hooks.stirred();
    });
    const open = (): void => {
      if (!response.headersSent) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.flushHeaders();
        watches.add(watch);
        watched.add(keyOf(request));
        underWay.delete(response);
        hooks.stirred();
      }
    };
    const push = (line: string): void => {
      relay.push(line);
      hooks.stirred();
    };
    const revision = view();
    let path = sent.path;
    if (revision !== undefined && isFromCache(request)) {
      const stale = await staleWatch(upstream, sent, request, revision);
      path = stale.path;
      open();
      stale.state.forEach(push);
    }
    const refused = await upstream.follow({ ...sent, path, signal: over.signal }, open, push);
    if (refused === undefined) {
      relay.finish();
    } else {
      carryOut({ kind: 'answer', answer: refused }, response);
    }
  };

  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (message, response) => {
    const request = operatorRequest(message.method ?? 'GET', message.url ?? '/', placeOf);
    if (request.place !== undefined) {
      underWay.add(response);
    }
    serve(request, message, response)
      .catch(() => {
        // Either the process was killed in the middle of the request, or the API server broke the request
        // off: in both cases no answer is sent.
        response.destroy();
      })
      .finally(() => {
        underWay.delete(response);
        hooks.stirred();
      });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    get underWay() {
      return underWay.size;
    },
    get isHolding() {
      return [...watches].some(({ relay }) => relay.isHeld);
    },
    areWatchesLevel: (isLevel) => {
      const open = new Set([...watches].map(({ request }) => keyOf(request)));
      return (
        [...watched].every((key) => open.has(key)) &&
        [...watches].every(({ request, relay }) => isLevel(request, relay.received))
      );
    },
    flush: () => {
      for (const { relay } of watches) {
        relay.flush();
      }
    },
    expireHeld: () => {
      for (const { relay } of watches) {
        if (relay.isHeld) {
          relay.expire();
        }
      }
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
      await closed;
      upstream.close();
    },
  };
}

/** Identifies a watch: two watches with the same key are the same one. */
function keyOf({ path, query }: ResourceRequest): string {
  return [path, query.get('labelSelector') ?? '', query.get('fieldSelector') ?? ''].join('?');
}

function carryOut(treatment: Exclude<Treatment, { kind: 'pass' }>, response: ServerResponse): void {
  switch (treatment.kind) {
    case 'answer': {
      const { code, headers, body } = treatment.answer;
      response.writeHead(code, { ...headers, 'content-length': body.length } as Record<
        string,
        string | string[] | number
      >);
      response.end(body);
      break;
    }
    case 'reset':
      response.socket?.resetAndDestroy();
      break;
  }
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
