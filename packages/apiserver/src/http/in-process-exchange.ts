import type { OutgoingHttpHeaders } from 'node:http';
import type { HttpRequest, HttpResponse } from './exchange.ts';

/** A request of a client in the same process. */
export interface InProcessRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Gives the request up: the server finds the client gone, and the promise rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What a client would receive, without the headers. */
export interface InProcessAnswer {
  /** The HTTP status. */
  readonly code: number;
  /** The body of the answer; JSON for resources. */
  readonly body: string;
}

/** What a client would receive. */
export interface ServedAnswer extends InProcessAnswer {
  /** With the names as the server writes them, such as `Content-Type`. */
  readonly headers: Readonly<OutgoingHttpHeaders>;
}

/** Request and response without a connection between client and server. */
export interface InProcessExchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /**
   * Resolves when the server has ended the response. Rejects if it breaks off, with the error that a client gets whose
   * connection is reset.
   */
  readonly received: Promise<ServedAnswer>;
}

/**
 * Opens an exchange. As over a network, what the server writes arrives in a later turn of the event loop, so that it
 * can come before or after what another client receives.
 *
 * It is our own, although there are packages that pass requests to a handler: those collect the whole response, and
 * a watch has no end.
 *
 * @param onData takes the parts of a successful response as they arrive, for a watch; what it throws ends the exchange
 *   and rejects. Default: `body` has all of them.
 */
export function openExchange(
  { method, path, headers, body = '', signal }: InProcessRequest,
  onData?: (text: string) => void,
): InProcessExchange {
  let code = 0;
  let headersOfAnswer: OutgoingHttpHeaders = {};
  let text = '';
  let arriving = '';
  let isFlushScheduled = false;
  let isEnded = false;
  let isClosed = false;
  const closeListeners: (() => void)[] = [];
  let resolve: (answer: ServedAnswer) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const received = new Promise<ServedAnswer>((...settle) => {
    [resolve, reject] = settle;
  });

  function close(settle: () => void): void {
    if (isClosed) {
      return;
    }
    isClosed = true;
    arriving = '';
    signal?.removeEventListener('abort', abort);
    for (const listener of closeListeners) {
      listener();
    }
    settle();
  }

  function deliver(): void {
    if (arriving === '') {
      return;
    }
    const part = arriving;
    arriving = '';
    if (onData === undefined || code !== 200) {
      text += part;
      return;
    }
    try {
      onData(part);
    } catch (error) {
      giveUp(error);
    }
  }

  function flush(): void {
    isFlushScheduled = false;
    deliver();
    if (isEnded) {
      close(() => resolve({ code, headers: headersOfAnswer, body: text }));
    }
  }

  function scheduleFlush(): void {
    if (!isFlushScheduled) {
      isFlushScheduled = true;
      setImmediate(flush);
    }
  }

  function giveUp(reason: unknown): void {
    close(() => reject(reason));
  }

  function breakOff(): void {
    deliver();
    giveUp(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  }

  function abort(): void {
    giveUp(signal?.reason);
  }

  function add(chunk: string | Uint8Array): void {
    if (isClosed) {
      return;
    }
    arriving += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  }

  const response: HttpResponse = {
    socket: { writableEnded: false, destroy: breakOff, resetAndDestroy: breakOff },
    get closed() {
      return isClosed;
    },
    get headersSent() {
      return code !== 0;
    },
    writableLength: 0,
    writeHead(status, given) {
      code = status;
      headersOfAnswer = given;
    },
    write(chunk) {
      add(chunk);
      scheduleFlush();
      return true;
    },
    end(chunk = '') {
      add(chunk);
      isEnded = true;
      scheduleFlush();
    },
    on(_event, listener) {
      closeListeners.push(listener);
    },
    destroy: breakOff,
  };
  if (signal?.aborted === true) {
    abort();
  } else {
    signal?.addEventListener('abort', abort);
  }
  return { request: requestOf(method, path, headers, body), response, received };
}

function requestOf(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): HttpRequest {
  return {
    method,
    url,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    // All of it is there at once: each listener is called as it is added, and that of the end last.
    on(event: 'data' | 'end' | 'error', listener: (chunk: never) => void) {
      if (event !== 'error') {
        (listener as (chunk: Buffer) => void)(Buffer.from(event === 'data' ? body : ''));
      }
    },
  };
}
