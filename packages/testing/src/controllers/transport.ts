import type { ApiServer, InProcessAnswer } from '@holdfast/apiserver';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSecureContext } from 'node:tls';

/** A request of a stand-in. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON, unless it is text. */
  readonly body?: unknown;
  /** Default: JSON. */
  readonly contentType?: string;
  /** Default: JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** How the requests of a stand-in reach the API server. */
export interface Transport {
  /**
   * @param onText takes the parts of an answer with code 200 as they arrive, for a watch; what it throws ends the
   *   request. Default: `body` has all of them.
   * @throws a system error if no answer comes
   */
  send(sent: Sent, onText?: (text: string) => void): Promise<InProcessAnswer>;
  /** Destroys the connections. */
  close(): void;
}

/** An API server of this process. */
export type ServerInProcess = Pick<ApiServer, 'serve'>;

export function inProcessTransport(
  server: ServerInProcess,
  headers: Readonly<Record<string, string>>,
): Transport {
  return {
    send(sent, onText) {
      const { method, path, signal } = sent;
      const body = bodyOf(sent);
      return server.serve({ method, path, headers: headersOf(sent, headers, body), body, signal }, onText);
    },
    close: () => undefined,
  };
}

/**
 * @param url where the API server listens
 * @param ca of https; undefined over plain http
 */
export function networkTransport(
  url: string,
  ca: Buffer | undefined,
  headers: Readonly<Record<string, string>>,
): Transport {
  const isHttps = url.startsWith('https:');
  const agent = isHttps
    ? // One context for all connections: each watch has its own, and would read the certificates again.
      new HttpsAgent({ keepAlive: true, secureContext: createSecureContext({ ca }) })
    : new HttpAgent({ keepAlive: true });

  function open(sent: Sent): Promise<IncomingMessage> {
    const { method, path, signal } = sent;
    const body = bodyOf(sent);
    const all = headersOf(sent, headers, body);
    return new Promise((resolve, reject) => {
      const request = (isHttps ? httpsRequest : httpRequest)(
        url + path,
        { method, headers: all, agent, ...(signal === undefined ? {} : { signal }) },
        resolve,
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  return {
    async send(sent, onText) {
      const response = await open(sent);
      const code = response.statusCode ?? 0;
      response.setEncoding('utf8');
      if (onText === undefined || code !== 200) {
        return { code, body: await textOf(response) };
      }
      for await (const chunk of response) {
        onText(chunk as string);
      }
      return { code, body: '' };
    },
    close: () => agent.destroy(),
  };
}

function bodyOf({ body }: Sent): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

function headersOf(
  { contentType = 'application/json', accept = 'application/json' }: Sent,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Record<string, string> {
  return {
    ...headers,
    accept,
    ...(body === undefined
      ? {}
      : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)) }),
  };
}

/** Uses events, because an async iterator for each answer would take longer than the rest of a request. */
function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('end', () => resolve(text));
    response.on('error', reject);
  });
}
