import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiFront, startConnectProxy, type ApiFront, type ConnectProxy } from './api-front.ts';

const root = join(import.meta.dirname, '../../..');

/** The names of all apps. */
export const apps = (await readdir(join(root, 'apps'))).toSorted();

let folder: string;
let tls: { readonly cert: string; readonly key: string };
let server: ApiFront;
let proxy: ConnectProxy;
const running: AppProcess[] = [];
async function start(
  app: string,
  cluster: object,
  user: object,
  env: NodeJS.ProcessEnv = {},
): Promise<AppProcess> {
  const path = join(folder, `${app}.yaml`);
  await writeFile(
    path,
    JSON.stringify({
      'current-context': 'here',
      clusters: [
        {
          name: 'here',
          cluster: {
            server: server.url,
            'certificate-authority-data': Buffer.from(tls.cert).toString('base64'),
            ...cluster,
          },
        },
      ],
      users: [{ name: 'me', user }],
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
    }),
  );
  const process = startApp(
    app,
    [
      `--kubeconfig=${path}`,
      '--leader-elect=false',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=127.0.0.1:0',
    ],
    env,
  );
  running.push(process);
  return process;
}

/** The app has listed all that it watches. */
async function becomesReady(app: AppProcess): Promise<void> {
  const address = await app.address('health-probe');
  await eventually('it is ready', async () => (await fetch(`http://${address}/readyz`)).ok);
}

/** Declares what is asked of the bundles of these apps: how they reach an API server. */
export function testBundles(names: readonly string[]): void {
  beforeAll(async () => {
    const fixture = (name: string): Promise<string> =>
      readFile(join(root, 'packages/runtime/test/fixtures', name), 'utf8');
    tls = { cert: await fixture('loopback.crt'), key: await fixture('loopback.key') };
    folder = await mkdtemp(join(tmpdir(), 'holdfast-shipped-'));
    server = await startApiFront(tls);
    proxy = await startConnectProxy();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((process) => process.end('SIGKILL')));
    server.admit = () => true;
  });
  afterAll(async () => {
    await proxy.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  describe.each(names)('bundle of %s', (app) => {
    test('H3: the kubeconfig names an HTTP proxy -> all goes through its tunnels', async () => {
      const before = proxy.tunnels.length;
      await becomesReady(await start(app, { 'proxy-url': proxy.url }, { token: 'secret' }));
      const tunnels = proxy.tunnels.slice(before);
      expect(tunnels.length).toBeGreaterThan(0);
      expect(new Set(tunnels)).toEqual(new Set([new URL(server.url).host]));
    });

    test('H3: the kubeconfig names a socks proxy -> refused in one line that says so', async () => {
      const process = await start(app, { 'proxy-url': 'socks5://127.0.0.1:1' }, { token: 'secret' });
      expect(await process.exit).toEqual({ code: 2, signal: null });
      expect(process.stderr()).toBe(
        `${app}: kubeconfig ${join(folder, `${app}.yaml`)}: proxy-url "socks5://127.0.0.1:1" is not an http or https URL; name an HTTP proxy that knows CONNECT, or none\n`,
      );
    });

    test('exec plugin -> its token is sent', async () => {
      const plugin = join(folder, 'plugin');
      const apiVersion = 'client.authentication.k8s.io/v1';
      await writeFile(
        plugin,
        `#!/bin/sh\necho '${JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token: 'of-plugin' } })}'\n`,
      );
      await chmod(plugin, 0o755);
      server.admit = ({ headers }) => headers.authorization === 'Bearer of-plugin';
      await becomesReady(await start(app, {}, { exec: { apiVersion, command: plugin } }));
    });

    test('client certificate -> offered in the handshake', async () => {
      server.admit = (_request, isCertified) => isCertified;
      const encode = (text: string): string => Buffer.from(text).toString('base64');
      const user = { 'client-certificate-data': encode(tls.cert), 'client-key-data': encode(tls.key) };
      await becomesReady(await start(app, {}, user));
    });

    test('H12: the environment turns the check of certificates off -> the kubeconfig alone decides, and nothing is sent', async () => {
      let requests = 0;
      server.admit = () => {
        requests += 1;
        return true;
      };
      const process = await start(
        app,
        { 'certificate-authority-data': undefined },
        { token: 'secret' },
        { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      );
      await eventually('it says why', () => process.stderr().includes('self-signed certificate'));
      expect(requests).toBe(0);
    });
  });
}
