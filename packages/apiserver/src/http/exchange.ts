import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Http2ServerRequest, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

/** A request over HTTP/1.1 or HTTP/2: what serves it asks for no version. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** What Node's responses over HTTP/1.1 and HTTP/2 have in common; their own types share no signature. */
export interface HttpResponse {
  /** Of HTTP/2 alone. */
  readonly stream?: ServerHttp2Stream;
  readonly socket: Socket | null;
  readonly closed: boolean;
  readonly headersSent: boolean;
  readonly writableLength: number;
  writeHead(code: number, headers: OutgoingHttpHeaders): unknown;
  /** HTTP/2 does not wait for a body to send headers. */
  flushHeaders?(): void;
  write(chunk: string | Uint8Array): boolean;
  end(body?: string | Uint8Array): unknown;
  on(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** Whether nothing more reaches the client, so that no further 'close' comes. */
export function isOver({ stream, closed }: HttpResponse): boolean {
  // The response of HTTP/2 has no `closed`, whatever its type says.
  return stream === undefined ? closed : stream.closed || stream.destroyed;
}

/** The values of each header by themselves, which Node gives for HTTP/1.1 alone. */
export function headersDistinct(request: HttpRequest): NodeJS.Dict<string[]> {
  if ('headersDistinct' in request) {
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
