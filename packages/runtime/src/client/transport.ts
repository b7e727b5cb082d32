import { createSecureContext } from 'node:tls';
import { Pool, ProxyAgent, type Dispatcher } from 'undici';
import { backoffDelay } from '../time/backoff.ts';
import { systemClock, type Clock, type ClockTimer } from '../time/clock.ts';
import { askedAgain, sameTls, type TlsMaterial } from './credentials.ts';
import { sharedLookup } from './shared-lookup.ts';
import { limitSilence, type SilenceLimit } from './silence-limit.ts';
import { warningsIn, type ApiWarning } from './warnings.ts';

/** A request as a {@link Transport} sends it, with its limits. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /**
   * The request fails if no response headers, or no next byte of the body, arrive within this many
   * milliseconds. 0 means never.
   */
  readonly timeout: number;
  /**
   * The request fails (TimeLimitError) if the whole response has not arrived this many milliseconds after the
   * request was sent, however steadily it trickles in. Default: no limit.
   */
  readonly timeLimit?: number;
  /**
   * The transport calls this right before it hands the first byte to the socket. It can do so more than once,
   * since undici restarts a request if a kept connection turns out to be closed. If it throws, the request
   * ends and nothing is sent.
   */
  readonly beforeSending?: () => void;
  /**
   * Called with the header `Date` as soon as the response begins, unless its status is 500 or above, since a
   * proxy might have made that up.
   */
  readonly onDate?: (date: string) => void;
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  /** The value of Content-Type with all parameters; empty if there is none. */
  readonly contentType: string;
  /** The value of Retry-After, if there is one. */
  readonly retryAfter?: string;
  readonly body: Buffer;
}

/**
 * Receives the body of a successful response as it arrives. It is called with the Content-Type before the
 * first data, and returns the function that takes the data. Calling `end` drops the rest, as if the response
 * had ended there.
 *
 * An unsuccessful response is collected into an {@link HttpResponse} instead; a success other than 200 fails
 * the request.
 */
export type HttpStream = (contentType: string, end: () => void) => (chunk: Buffer) => void;

/** HTTP to one API server over a pool of kept connections. */
export interface Transport {
  /**
   * Sends one request and returns its response.
   *
   * @throws Error if the connection fails or the server is silent for too long; TimeLimitError; the signal's
   *   reason when aborted; what `beforeSending` throws.
   */
  send(request: HttpRequest, tls: TlsMaterial, stream?: HttpStream): Promise<HttpResponse>;
  /** Closes all connections; requests under way fail. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Origin of the API server, for example `https://10.0.0.1:6443`. */
  readonly origin: string;
  /**
   * The http or https proxy to connect through. Default: a direct connection; $HTTPS_PROXY and $NO_PROXY are
   * not read.
   */
  readonly proxyUrl?: string;
  /** The most bytes of a response that is not streamed. Default: 512 MiB, a page of 500 objects of 1 MiB. */
  readonly largestBody?: number;
  /** Measures the silence of the server. Default: the machine's clock. */
  readonly clock?: Clock;
  /**
   * Called for each warning as soon as its response begins; must not throw. Default: warnings are not read.
   */
  readonly onWarning?: (warning: ApiWarning) => void;
}

/** In milliseconds. TCP notices a peer that vanished after this time plus ten probes a second apart. */
const keepAliveDelay = 20_000;

/**
 * If the caller aborts a request after this many milliseconds without a response, its connection becomes
 * suspect.
 */
const doubtAfter = 4_000;

/** The most bytes of an unsuccessful response: a Status is short. */
const largestFailure = 1024 * 1024;

/**
 * The number of connections for requests other than watches; further requests wait for a free one. A
 * handshake costs as much as many requests. A request that hangs holds its connection, so callers must limit
 * how many connections one group can take, see `createPlaces`.
 */
export const requestConnections = 64;

/** The connections made with one set of certificates. */
interface Connections {
  readonly tls: TlsMaterial;
  readonly requests: Dispatcher;
  /** Watches have a pool of their own, without limit, because each holds a connection for minutes. */
  readonly streams: Dispatcher;
}

/**
 * Creates a transport over undici's dispatch interface: a Readable for each response would cost more than the
 * rest of a small request.
 *
 * A connection can be dead while both ends believe in it, if something in between swallows the data; TCP
 * keepalive sees only that something answers. So if a request does not get its whole response in time, no
 * idle connection is trusted any more, and later requests open new ones. Otherwise they could run into thirty
 * dead ones, one timeout after the other.
 *
 * The same happens after a response that might be the fault of one of several API servers, which has lost its etcd or
 * can't check tokens. A load balancer leaves connections where they are, so each request would meet that server again,
 * and the lease would be lost. But all servers might fail, or all at one kind of object, whose conversion webhook is
 * down: new connections are made after a second, and ever less often, up to every ten seconds.
 */
export function createTransport(options: TransportOptions): Transport {
  const { origin, proxyUrl, clock = systemClock, largestBody = 512 * 1024 * 1024, onWarning } = options;
  const ofAll: DispatchOptions = { origin, clock, largestBody, onWarning };
  let current: Connections | undefined;
  /** Connections that take no new requests, but still have some under way. */
  const retired = new Set<Connections>();
  /** How often in a row connections were retired because the server failed, and until when they are not again. */
  let left = 0;
  let leftUntil = -Infinity;

  /**
   * Lets requests under way, including watches, end on their old connections; later requests open new ones.
   */
  const retire = (): void => {
    const old = current;
    current = undefined;
    if (old !== undefined) {
      retired.add(old);
      void Promise.allSettled([old.requests.close(), old.streams.close()]).then(() => retired.delete(old));
    }
  };

  const leave = (): void => {
    const now = clock.now();
    if (now < leftUntil) {
      return;
    }
    if (now - leftUntil > askedAgain.max) {
      left = 0;
    }
    leftUntil = now + backoffDelay(left, askedAgain);
    left += 1;
    retire();
  };

  const connectionsFor = (tls: TlsMaterial): Connections => {
    if (current?.tls === tls) {
      return current;
    }
    if (current !== undefined && sameTls(current.tls, tls)) {
      current = { ...current, tls };
      return current;
    }
    retire();
    current = {
      tls,
      requests: connect(origin, tls, proxyUrl, requestConnections),
      streams: connect(origin, tls, proxyUrl, null),
    };
    return current;
  };

  return {
    send: async (request, tls, stream) => {
      const { requests, streams } = connectionsFor(tls);
      const ifCurrent = (then: () => void): void => {
        if (current?.requests === requests) {
          then();
        }
      };
      const dispatcher = stream === undefined ? requests : streams;
      const response = await dispatch(dispatcher, ofAll, request, stream, () => ifCurrent(retire));
      if (isServersFault(request, response)) {
        ifCurrent(leave);
      }
      return response;
    },
    close: async () => {
      const open = [current, ...retired].flatMap((each) => (each === undefined ? [] : [each]));
      current = undefined;
      retired.clear();
      await Promise.all(open.flatMap(({ requests, streams }) => [requests.destroy(), streams.destroy()]));
    },
  };
}

function connect(
  origin: string,
  tls: TlsMaterial,
  proxyUrl: string | undefined,
  connections: number | null,
): Dispatcher {
  const connection = {
    ...tls,
    // The kubeconfig alone decides this, not NODE_TLS_REJECT_UNAUTHORIZED (H12).
    rejectUnauthorized: tls.rejectUnauthorized ?? true,
    // The context is shared: one per connection would take a millisecond and 40 KiB, and the first requests
    // open ten at once.
    ...(origin.startsWith('https:') ? { secureContext: createSecureContext(tls) } : {}),
    keepAlive: true,
    keepAliveInitialDelay: keepAliveDelay,
    timeout: 10_000,
    lookup: sharedLookup,
  };
  // HTTP/1.1: one request per connection costs Node less than HTTP/2's framing, and a lost packet stalls only
  // one request.
  const options = { allowH2: false, pipelining: 1, keepAliveTimeout: 60_000, connections };
  return proxyUrl === undefined
    ? new Pool(origin, { ...options, connect: connection })
    : new ProxyAgent({
        ...options,
        uri: proxyUrl,
        requestTls: connection,
        proxyTls: { lookup: sharedLookup },
      });
}

interface DispatchOptions extends Required<Pick<TransportOptions, 'origin' | 'clock' | 'largestBody'>> {
  readonly onWarning: TransportOptions['onWarning'];
}

function dispatch(
  dispatcher: Dispatcher,
  { origin, clock, largestBody, onWarning }: DispatchOptions,
  request: HttpRequest,
  stream: HttpStream | undefined,
  onDoubt: () => void,
): Promise<HttpResponse> {
  const { method, path, headers, body, signal, timeout, timeLimit, beforeSending, onDate } = request;
  const started = clock.now();
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    let abort: (() => void) | undefined;
    let status = 0;
    let retryAfter: string | undefined;
    let contentType = '';
    let onData: ((chunk: Buffer) => void) | undefined;
    const chunks: Buffer[] = [];
    let length = 0;
    let silence: SilenceLimit | undefined;
    let deadline: ClockTimer | undefined;
    /** Undefined until undici has a connection for the request. */
    let onConnection: Pick<Dispatcher.DispatchController, 'abort'> | undefined;
    let isGivenUp = false;
    const settle = (): void => {
      silence?.lift();
      deadline?.cancel();
      if (abort !== undefined) {
        signal?.removeEventListener('abort', abort);
      }
    };
    const fail = (error: Error): void => {
      settle();
      const isOverdue = error instanceof SilenceError || error instanceof TimeLimitError;
      if (isOverdue || (status === 0 && clock.now() - started >= doubtAfter)) {
        onDoubt();
      }
      reject(error);
    };
    const giveUp = (error: Error): void => {
      if (onConnection !== undefined) {
        onConnection.abort(error);
        return;
      }
      isGivenUp = true;
      fail(error);
    };
    const limit = (): void => {
      silence = limitSilence(clock, timeout, () =>
        giveUp(new SilenceError(`timeout: ${origin} was silent for ${timeout} ms`)),
      );
      if (timeLimit !== undefined) {
        deadline = clock.after(timeLimit, () =>
          giveUp(new TimeLimitError(`${method} ${path}`, origin, timeLimit)),
        );
      }
      abort = () => giveUp(signal?.reason as Error);
      signal?.addEventListener('abort', abort, { once: true });
    };

    // undici gives an unresponsive proxy five minutes to answer, and no signal ends what waits for the proxy.
    limit();
    dispatcher.dispatch(
      {
        origin,
        method,
        path,
        headers,
        body: body ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
        // Otherwise undici closes the connection after a DELETE with a body, since a server might leave the
        // body unread. An API server reads it.
        reset: false,
      },
      {
        onRequestStart: (controller) => {
          if (isGivenUp) {
            controller.abort(new Error(`${method} ${path}: nobody waits for it any more`));
            return;
          }
          // undici restarts a request on another connection if a kept one turns out to be closed.
          settle();
          onConnection = controller;
          limit();
          if (signal?.aborted === true) {
            giveUp(signal.reason as Error);
          } else {
            // If this throws, undici ends the request and writes nothing.
            beforeSending?.();
          }
        },
        onResponseStart: (controller, statusCode, responseHeaders) => {
          silence?.heard();
          status = statusCode;
          retryAfter = first(responseHeaders['retry-after']);
          contentType = first(responseHeaders['content-type']) ?? '';
          const date = first(responseHeaders['date']);
          if (date !== undefined && statusCode < 500) {
            onDate?.(date);
          }
          const warning = responseHeaders['warning'];
          if (warning !== undefined && onWarning !== undefined) {
            for (const text of warningsIn(warning)) {
              onWarning({ request: `${method} ${path}`, text });
            }
          }
          const end = (): void => {
            settle();
            resolve({ status, contentType, body: Buffer.alloc(0) });
            controller.abort(new Error('enough of the response was read'));
          };
          if (stream !== undefined && statusCode > 200 && statusCode < 300) {
            controller.abort(new Error(`${path}: a watch was answered with ${statusCode}, not with 200`));
            return;
          }
          onData = statusCode === 200 ? stream?.(contentType, end) : undefined;
        },
        onResponseData: (controller, chunk) => {
          silence?.heard();
          if (onData === undefined) {
            length += chunk.length;
            const limit = status < 300 ? largestBody : largestFailure;
            if (length > limit) {
              chunks.length = 0;
              controller.abort(new Error(`${method} ${path}: the answer has more than ${limit} bytes`));
              return;
            }
            chunks.push(chunk);
            return;
          }
          try {
            onData(chunk);
          } catch (error) {
            controller.abort(error as Error);
          }
        },
        onResponseEnd: () => {
          settle();
          const whole = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
          const response = { status, contentType, body: whole };
          afterConnectionIsFree(() =>
            resolve(retryAfter === undefined ? response : { ...response, retryAfter }),
          );
        },
        onResponseError: (_controller, error) => {
          if (!isGivenUp) {
            fail(error);
          }
        },
      },
    );
  });
}

/**
 * Returns whether another API server might answer otherwise. A write is answered with 500 also where its webhook fails,
 * which is so everywhere, and thousands of objects might be behind that webhook.
 */
function isServersFault({ method }: HttpRequest, { status }: HttpResponse): boolean {
  return status === 401 || (method === 'GET' && status >= 500);
}

/**
 * Calls back when undici can reuse the connection of a response, which is in the check phase of the event
 * loop. A request sent sooner would get another connection, so that each worker would use two. undici
 * schedules its check after it has called `onResponseEnd`, in the same turn; the microtask schedules the
 * callback after that.
 */
function afterConnectionIsFree(callback: () => void): void {
  queueMicrotask(() => setImmediate(callback));
}

/** Nothing arrived on a connection for as long as the request allows. */
class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** A response kept arriving, but had not ended within its time. */
class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';

  constructor(request: string, origin: string, limit: number) {
    super(
      `timeout: ${request}: the answer of ${origin} had not ended after ${limit} ms; look for an overloaded API server, or for a proxy on the way that holds back what it sends`,
    );
  }
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}
