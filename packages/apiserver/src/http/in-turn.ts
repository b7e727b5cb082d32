import { type HttpResponse, type NetworkRequest, isOver } from './exchange.ts';

type Listener = (request: NetworkRequest, response: HttpResponse) => void;

/**
 * Serves the requests of an HTTP/1.1 connection one after the other, as Go's server does. Node hands over all
 * that a client has sent ahead (pipelining) at once: a later request could be served before an earlier one, and a
 * client that sends many and reads no answer would fill the memory with answers.
 */
export function inTurn(listener: Listener): Listener {
  const last = new WeakMap<object, HttpResponse>();
  return (request, response) => {
    if (response.stream !== undefined) {
      listener(request, response);
      return;
    }
    const before = last.get(request.socket);
    last.set(request.socket, response);
    if (before === undefined || isOver(before)) {
      listener(request, response);
    } else {
      before.on('close', () => listener(request, response));
    }
  };
}
