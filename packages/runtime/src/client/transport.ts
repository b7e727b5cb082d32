import { Pool, ProxyAgent, type Dispatcher } from 'undici';
import { sameTls, type TlsMaterial } from './credentials.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** No response headers, or no next byte of the body, within this many milliseconds: the request fails. 0: never. */
  readonly timeout: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Value of Retry-After, when there is one. */
  readonly retryAfter?: string;
  readonly body: Buffer;
}

/** What becomes of a response whose body is handed on as it comes. */
export interface HttpStream {
  /** Before the first data. Data of a response whose status is not 200 is collected into the answer instead. */
  readonly onOpen?: () => void;
  readonly onData: (chunk: Buffer) => void;
}

/** HTTP to one API server over a pool of kept connections. */
export interface Transport {
  /**
   * @throws Error when the connection fails or the request times out; the signal's reason when aborted.
   */
  send(request: HttpRequest, tls: TlsMaterial, stream?: HttpStream): Promise<HttpResponse>;
  /** Ends all connections; requests under way fail. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** Origin of the API server, for example `https://10.0.0.1:6443`. */
  readonly origin: string;
  /** An http or https proxy to go through. Default: $HTTPS_PROXY and $NO_PROXY are not read, the connection is direct. */
  readonly proxyUrl?: string;
}

/** A peer that is gone without a word is noticed by TCP after this time plus ten probes a second apart. */
const keepAliveDelay = 20_000;

/** Connections for requests that end; more at once wait for one to be free. A handshake costs as much as many requests. */
const requestConnections = 32;

/** The connections made with one set of certificates. */
interface Connections {
  readonly tls: TlsMaterial;
  readonly requests: Dispatcher;
  /** Each watch holds a connection for minutes, so they have a pool of their own, without limit. */
  readonly streams: Dispatcher;
}

/**
 * undici's dispatch interface is used directly: a Readable for each response costs more than the rest of a small request.
 */
export function createTransport({ origin, proxyUrl }: TransportOptions): Transport {
  let current: Connections | undefined;

  const connectionsFor = (tls: TlsMaterial): Connections => {
    if (current?.tls === tls) {
      return current;
    }
    if (current !== undefined && sameTls(current.tls, tls)) {
      current = { ...current, tls };
      return current;
    }
    // Requests under way end on the old connections, watches among them; new ones take the new certificates.
    current?.requests.close().catch(() => undefined);
    current?.streams.close().catch(() => undefined);
    current = {
      tls,
      requests: connect(origin, tls, proxyUrl, requestConnections),
      streams: connect(origin, tls, proxyUrl, null),
    };
    return current;
  };

  return {
    send: (request, tls, stream) => {
      const { requests, streams } = connectionsFor(tls);
      return dispatch(stream === undefined ? requests : streams, origin, request, stream);
    },
    close: async () => {
      await Promise.all([current?.requests.destroy(), current?.streams.destroy()]);
      current = undefined;
    },
  };
}

function connect(
  origin: string,
  tls: TlsMaterial,
  proxyUrl: string | undefined,
  connections: number | null,
): Dispatcher {
  const connection = { ...tls, keepAlive: true, keepAliveInitialDelay: keepAliveDelay, timeout: 10_000 };
  // HTTP/1.1: one request a connection costs Node less than HTTP/2's framing, and a lost packet stalls one request only.
  const options = { allowH2: false, pipelining: 1, keepAliveTimeout: 60_000, connections };
  return proxyUrl === undefined
    ? new Pool(origin, { ...options, connect: connection })
    : new ProxyAgent({ ...options, uri: proxyUrl, requestTls: connection });
}

function dispatch(
  dispatcher: Dispatcher,
  origin: string,
  request: HttpRequest,
  stream: HttpStream | undefined,
): Promise<HttpResponse> {
  const { method, path, headers, body, signal, timeout } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    let abort: (() => void) | undefined;
    let status = 0;
    let retryAfter: string | undefined;
    const chunks: Buffer[] = [];
    const settle = (): void => {
      if (abort !== undefined) {
        signal?.removeEventListener('abort', abort);
      }
    };

    dispatcher.dispatch(
      { origin, method, path, headers, body: body ?? null, headersTimeout: timeout, bodyTimeout: timeout },
      {
        onRequestStart: (controller) => {
          // undici starts a request anew on another connection when a kept one turns out to be closed.
          settle();
          abort = () => controller.abort(signal?.reason as Error);
          if (signal?.aborted === true) {
            abort();
          } else {
            signal?.addEventListener('abort', abort, { once: true });
          }
        },
        onResponseStart: (_controller, statusCode, responseHeaders) => {
          status = statusCode;
          const value = responseHeaders['retry-after'];
          retryAfter = Array.isArray(value) ? value[0] : value;
          if (statusCode === 200) {
            stream?.onOpen?.();
          }
        },
        onResponseData: (controller, chunk) => {
          if (stream === undefined || status !== 200) {
            chunks.push(chunk);
            return;
          }
          try {
            stream.onData(chunk);
          } catch (error) {
            controller.abort(error as Error);
          }
        },
        onResponseEnd: () => {
          settle();
          const whole = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
          resolve({ status, body: whole, ...(retryAfter === undefined ? {} : { retryAfter }) });
        },
        onResponseError: (_controller, error) => {
          settle();
          reject(error);
        },
      },
    );
  });
}
