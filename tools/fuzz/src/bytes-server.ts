import type { HttpRequest, HttpResponse, HttpStream, Transport } from '@holdfast/runtime';

/** A server's answer: complete, or a stream that goes on. */
export type Answer =
  | {
      readonly status?: number;
      readonly contentType?: string;
      readonly body: string | Buffer;
    }
  | {
      readonly contentType?: string;
      /** Called with a function to send chunks. The stream ends with the request, or when `end` is called. */
      readonly stream: (send: (chunk: Buffer) => void, end: () => void) => void;
    };

/** Returns the answer to a request. */
export type Serve = (request: HttpRequest) => Answer;

const json = 'application/json';

/**
 * A transport whose server is a function. Everything between the client's request and its answer, and between
 * the bytes of the answer and the controller's cache, is the shipped code. Only sockets are left out, since
 * their turns of the event loop would make every run different.
 */
export function serveBytes(serve: Serve): Transport {
  return {
    send: async (request, _tls, stream) => {
      request.beforeSending?.();
      // An answer never comes synchronously.
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

/** If the request asks for a stream, a successful answer is passed on as a stream. */
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
    // As in the transport, an error that the reader of the stream throws fails and ends the request.
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
