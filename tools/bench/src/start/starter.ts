import { get as getHttp } from 'node:http';
import { get as getHttps, type RequestOptions } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { holdfastApp } from '../holdfast-app.ts';
import { kubeControllerManager } from '../kube-controller-manager.ts';
import type { Program } from '../program.ts';
import type { Pair } from './start-comparison.ts';

/** A contestant that is about to be started. */
export interface Starter {
  readonly program: Program;
  /** The name of its lease in kube-system. */
  readonly lease: string;
  /**
   * Whether it reports that it is ready, with full caches and running controllers; false if it does not
   * answer.
   */
  isReady(): Promise<boolean>;
}

/**
 * Otherwise kube-controller-manager would create a certificate when it starts, which takes longer than
 * everything else; clusters usually provide one.
 */
const certificates = join(import.meta.dirname, '../../../../packages/runtime/test/fixtures');

export async function appStarter({ app }: Pair, bundle: string, kubeconfigFile: string): Promise<Starter> {
  const address = `127.0.0.1:${String(await freePort())}`;
  return {
    program: holdfastApp(bundle, kubeconfigFile, [
      '--leader-elect=true',
      '--leader-elect-resource-namespace=kube-system',
      `--health-probe-bind-address=${address}`,
    ]),
    lease: `holdfast-${app}`,
    isReady: async () => (await ask(`http://${address}/readyz`))?.status === 200,
  };
}

export async function managerStarter(
  { controller }: Pair,
  binaries: string,
  kubeconfigFile: string,
): Promise<Starter> {
  const port = String(await freePort());
  return {
    program: kubeControllerManager(
      binaries,
      kubeconfigFile,
      [controller],
      [
        '--leader-elect=true',
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        `--tls-cert-file=${join(certificates, 'loopback.crt')}`,
        `--tls-private-key-file=${join(certificates, 'loopback.key')}`,
      ],
    ),
    lease: 'kube-controller-manager',
    isReady: async () => {
      const answer = await ask(`https://127.0.0.1:${port}/healthz?verbose`);
      // It is healthy before it leads, and names its controllers once they run.
      return answer?.status === 200 && answer.body.includes(`[+]${controller} ok`);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @returns undefined if there is no answer within two seconds */
function ask(url: string): Promise<{ readonly status: number; readonly body: string } | undefined> {
  const options: RequestOptions = { timeout: 2_000, rejectUnauthorized: false };
  return new Promise((resolve) => {
    const request = (url.startsWith('https:') ? getHttps : getHttp)(url, options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.once('error', () => resolve(undefined));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
  });
}
