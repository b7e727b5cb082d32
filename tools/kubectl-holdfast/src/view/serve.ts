import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '@holdfast/runtime';
import { legibleJson } from '../output/printable.ts';
import { admit } from './admit.ts';
import type { Feed } from './feed.ts';
import type { PageFile } from './page-files.at-build.ts';

export interface ViewServerOptions {
  /** 0 for a free one. */
  readonly port: number;
  /** A part of each address; a request without it is refused. */
  readonly token: string;
  /** The files by path. */
  readonly files: Readonly<Record<string, PageFile>>;
  readonly feed: Feed;
  /** Returns what the page requests on a click. */
  readonly explain: (query: URLSearchParams) => Promise<Explained>;
}

export interface Explained {
  readonly status: number;
  readonly body: unknown;
}

export interface ViewServer {
  readonly address: string;
  /** Stops at once, including requests in progress. */
  close(): Promise<void>;
}

/** The maximum number of open windows; further ones are refused. */
const mostViewers = 16;

/** Allows only the page's own files, nothing inline, and no text that is interpreted as markup. */
const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // The address contains the token, so it must not be passed on.
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

/**
 * Serves the page on 127.0.0.1, see {@link admit}.
 *
 * @throws UsageError if the port is taken, or may not be listened on
 */
export async function serveView(options: ViewServerOptions): Promise<ViewServer> {
  const { token, files, feed, explain } = options;
  let viewers = 0;
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.maxConnections = 256;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: target, headers: given } = request;
    const asked = { method, target, host: given.host, origin: given.origin };
    const admission = admit(asked, (server.address() as AddressInfo).port, token);
    // A request body, which some client might send, is ignored.
    request.resume();
    switch (admission.kind) {
      case 'refused':
        write(response, admission.status, 'text/plain; charset=utf-8', `${admission.why}\n`, {
          ...(admission.status === 405 ? { allow: 'GET, HEAD' } : {}),
        });
        return;
      case 'moved':
        write(response, 308, 'text/plain; charset=utf-8', '', { location: admission.to });
        return;
      case 'admitted':
        break;
    }
    const { path, query } = admission;
    if (path === 'events') {
      openFeed(request, response);
    } else if (path === 'explain') {
      const { status, body } = await explain(query);
      write(response, status, 'application/json', legibleJson(body));
    } else {
      const name = path === '' ? 'page/index.html' : path;
      const file = Object.hasOwn(files, name) ? files[name] : undefined;
      if (file === undefined) {
        write(response, 404, 'text/plain; charset=utf-8', 'there is no such page\n');
      } else {
        write(response, 200, file.type, file.text);
      }
    }
  }

  function openFeed({ method }: IncomingMessage, response: ServerResponse): void {
    if (viewers >= mostViewers) {
      write(response, 503, 'text/plain; charset=utf-8', 'the page is open in too many windows; close some\n');
      return;
    }
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    if (method === 'HEAD') {
      response.end();
      return;
    }
    viewers += 1;
    response.once('close', () => (viewers -= 1));
    feed.open(response);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      reject(
        new UsageError(
          `--port: can't listen on ${String(options.port)}: ${reason}; take another, or leave it out`,
        ),
      );
    });
    server.listen({ host: '127.0.0.1', port: options.port }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${String(port)}/${token}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        feed.close();
        server.closeAllConnections();
      }),
  };
}

/** node:http omits the body in the answer to HEAD. */
function write(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...headers,
    ...more,
    'content-type': type,
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
