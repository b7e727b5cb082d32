import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

/**
 * A request over HTTP/1.1 or HTTP/2, or within the process. The code that serves it does not depend on which.
 */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** Exists only for HTTP/1.1. */
  readonly headersDistinct?: NodeJS.Dict<string[]> | undefined;
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A request over a connection, which HTTP/1.1 uses for one request after the other. */
export interface NetworkRequest extends HttpRequest {
  readonly socket: object;
}

/** The common part of Node's HTTP/1.1 and HTTP/2 responses, whose own types are not compatible. */
export interface HttpResponse {
  /** Exists only for HTTP/2. */
  readonly stream?: ServerHttp2Stream;
  readonly socket: {
    readonly writableEnded: boolean;
    destroy(): unknown;
    resetAndDestroy(): unknown;
  } | null;
  readonly closed: boolean;
  readonly headersSent: boolean;
  readonly writableLength: number;
  writeHead(code: number, headers: OutgoingHttpHeaders): unknown;
  /** Missing in HTTP/2, which sends headers without waiting for a body. */
  flushHeaders?(): void;
  write(chunk: string | Uint8Array): boolean;
  end(body?: string | Uint8Array): unknown;
  on(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** Whether nothing more can reach the client, so that no further 'close' event will come. */
export function isOver({ stream, closed }: HttpResponse): boolean {
  // The HTTP/2 response has no `closed`, although its type declares it.
  return stream === undefined ? closed : stream.closed || stream.destroyed;
}

/** Returns each header's values separately, which Node does only for HTTP/1.1. */
export function headersDistinct(request: HttpRequest): NodeJS.Dict<string[]> {
  if (request.headersDistinct !== undefined) {
    return request.headersDistinct;
  }
  const distinct: NodeJS.Dict<string[]> = {};
  const { rawHeaders } = request;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    (distinct[name] ??= []).push(rawHeaders[index + 1] ?? '');
  }
  return distinct;
}
