import { StatusError } from '../meta/status-error.ts';
import type { HttpRequest } from './exchange.ts';

const bodyLimit = 3 * 1024 * 1024;

/** Reads the body of a request; empty if the method has none. Throws 413 for more than 3 MiB. */
export function readBody(request: HttpRequest): Promise<Buffer> {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') {
    return Promise.resolve(Buffer.alloc(0));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // The excess is read and discarded, so that the client gets to read the answer.
      if (size <= bodyLimit) {
        chunks.push(chunk);
      } else {
        chunks.length = 0;
      }
    });
    request.on('end', () => {
      const [first = Buffer.alloc(0)] = chunks;
      if (size <= bodyLimit) {
        resolve(chunks.length === 1 ? first : Buffer.concat(chunks));
      } else {
        const message = `Request entity too large: limit is ${bodyLimit}`;
        reject(new StatusError(413, 'RequestEntityTooLarge', message));
      }
    });
    request.on('error', reject);
  });
}
