import type { HttpRequest, HttpResponse, HttpStream, Transport } from '@holdfast/runtime';

/** What a server answers: all at once, or as a stream that goes on. */
export type Answer =
  | {
      readonly status?: number;
      readonly contentType?: string;
      readonly body: string | Buffer;
    }
  | {
      readonly contentType?: string;
      /** Called with the way to send; the stream ends with the request, or when `end` is called. */
      readonly stream: (send: (chunk: Buffer) => void, end: () => void) => void;
    };

/** The answer to a request. */
export type Serve = (request: HttpRequest) => Answer;

const json = 'application/json';

/**
 * A transport whose server is a function. What is between a request of the client and its answer, and between the bytes of the answer and
 * the cache of a controller, is the code that ships; sockets aside, whose turns of the event loop would make no run like another.
 */
export function serveBytes(serve: Serve): Transport {
  return {
    send: async (request, _tls, stream) => {
      request.beforeSending?.();
      // An answer never comes within the call.
      await Promise.resolve();
      request.signal?.throwIfAborted();
      const answer = serve(request);
      const { contentType = json } = answer;
      if ('stream' in answer) {
        await pass(request, contentType, answer.stream, stream);
        return { status: 200, contentType, body: Buffer.alloc(0) };
      }
      const { status = 200, body } = answer;
      return respond({ status, contentType, body: Buffer.from(body) }, stream);
    },
    close: () => Promise.resolve(),
  };
}

/** A success whose request asked for a stream is passed on as one. */
function respond(response: HttpResponse, stream: HttpStream | undefined): HttpResponse {
  if (stream === undefined || response.status !== 200) {
    return response;
  }
  let isOver = false as boolean;
  const push = stream(response.contentType, () => {
    isOver = true;
  });
  if (!isOver) {
    push(response.body);
  }
  return { ...response, body: Buffer.alloc(0) };
}

function pass(
  { signal }: HttpRequest,
  contentType: string,
  start: (send: (chunk: Buffer) => void, end: () => void) => void,
  stream: HttpStream | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const push = stream?.(contentType, resolve);
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    // What the reader of the stream throws fails the request, and ends it, as in the transport.
    let isOver = false as boolean;
    start((chunk) => {
      try {
        if (!isOver) {
          push?.(chunk);
        }
      } catch (error) {
        isOver = true;
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    }, resolve);
  });
}
