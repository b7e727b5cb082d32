import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** The most requests of a connection that wait for the answer to an earlier one. No usual caller sends any. */
export const mostAhead = 16;

/**
 * Answers the requests of a connection one after the other, each in a turn of the event loop of its own, and
 * closes the connection of a caller that sends too many ahead. Node hands over at once all that has come
 * (pipelining). Otherwise some hundred KiB of requests for metrics would keep the process busy for longer
 * than the lease lasts, and the requests and answers would fill the memory.
 */
export function inTurn(answer: Answer): Answer {
  const lines = new WeakMap<Socket, { last: ServerResponse; waiting: number }>();
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined || line.last.closed) {
      lines.set(socket, { last: response, waiting: 0 });
      answer(request, response);
      return;
    }
    if (line.waiting >= mostAhead) {
      socket.destroy();
      return;
    }
    line.waiting += 1;
    line.last.once('close', () =>
      setImmediate(() => {
        line.waiting -= 1;
        if (!socket.destroyed) {
          answer(request, response);
        }
      }),
    );
    line.last = response;
  };
}
