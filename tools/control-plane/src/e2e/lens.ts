import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * Changes what a test reads of one resource, if the test compares something that our controllers
 * intentionally do differently. What the test writes is not changed.
 */
export interface Lens {
  /** The plural, for example `persistentvolumeclaims`. */
  readonly resource: string;
  /** What is changed, for readers of the table. */
  readonly title: string;
  /** Turns the JSON of the API server into what the test receives. */
  apply(body: string): string;
}

/** A control plane as seen through a lens. */
export interface LensedApi {
  /** A kubeconfig without credentials that leads through the lens. Its clients must ask for JSON. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/**
 * Serves on loopback over plain http, which keeps this simple. Clients send no token over plain http, so the
 * lens adds it: until the lens is closed, anyone with access to this machine's loopback has the rights of the
 * kubeconfig. Use it only for control planes that live as long as a test.
 *
 * @param kubeconfig JSON with a cluster and a token
 */
export async function startLens(kubeconfig: string, lens: Lens): Promise<LensedApi> {
  const { clusters, users } = JSON.parse(kubeconfig) as Kubeconfig;
  const [first, admin] = [clusters[0], users[0]];
  if (first === undefined || admin === undefined) {
    throw new Error('the kubeconfig names no cluster or no user');
  }
  const { server: upstream, 'certificate-authority-data': ca } = first.cluster;
  const authority = Buffer.from(ca, 'base64');
  const authorization = `Bearer ${admin.user.token}`;

  const forward = (received: IncomingMessage, answer: ServerResponse): void => {
    // The answer must not be compressed, and the host must not be the lens's own.
    const headers = { ...without(received.headers, 'accept-encoding', 'host'), authorization };
    const url = new URL(received.url ?? '/', upstream);
    const sent = request(url, { method: received.method, headers, ca: authority }, (answered) => {
      void pass(answered, answer, isSeenThrough(received.method, url, lens)).catch(() => answer.destroy());
    });
    sent.on('error', () => answer.destroy());
    answer.on('close', () => sent.destroy());
    received.pipe(sent);
  };
  const pass = async (answered: IncomingMessage, answer: ServerResponse, seen: boolean): Promise<void> => {
    const status = answered.statusCode ?? 502;
    if (!seen) {
      answer.writeHead(status, answered.headers);
      answered.pipe(answer);
      return;
    }
    const headers = without(answered.headers, 'content-length', 'transfer-encoding');
    const body = lens.apply(await text(answered));
    answer.writeHead(status, headers);
    answer.end(body);
  };

  const proxy = createServer(forward);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    kubeconfig: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'lens', cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: 'lens', context: { cluster: 'lens', user: '' } }],
      'current-context': 'lens',
    }),
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

function without(headers: IncomingHttpHeaders, ...names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

function isSeenThrough(method: string | undefined, url: URL, lens: Lens): boolean {
  const isWatch = url.searchParams.has('watch') && url.searchParams.get('watch') !== 'false';
  return method === 'GET' && !isWatch && url.pathname.split('/').includes(lens.resource);
}
