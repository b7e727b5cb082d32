import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp } from '@holdfast/scenario';

let folder: string;
let kubeconfig: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-main-'));
  kubeconfig = join(folder, 'kubeconfig');
  // Nobody listens there: these tests end before a request would matter.
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'here',
  };
  await writeFile(kubeconfig, JSON.stringify(config));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const quiet = ['--leader-elect=false', '--metrics-bind-address=0', '--health-probe-bind-address=127.0.0.1:0'];

describe('command line', () => {
  test('--help -> every flag of the design and the gates, exit 0', async () => {
    const app = startApp('pvc-protection', ['--help']);
    expect(await app.exit).toEqual({ code: 0, signal: null });
    for (const flag of [
      'kubeconfig',
      'context',
      'namespaces',
      'feature-gates',
      'dry-run',
      'leader-elect',
      'leader-elect-lease-duration',
      'leader-elect-renew-deadline',
      'leader-elect-retry-period',
      'leader-elect-resource-name',
      'leader-elect-resource-namespace',
      'metrics-bind-address',
      'health-probe-bind-address',
      'concurrent-syncs',
      'kube-api-qps',
      'kube-api-burst',
      'log-level',
      'log-format',
      'config',
      'version',
      'help',
    ]) {
      expect(app.stdout()).toMatch(new RegExp(`--${flag}\\b`));
    }
    expect(app.stdout()).toContain('StorageObjectInUseProtection');
  }, 20_000);

  test.each([
    { name: 'unknown flag', args: ['--kubeconfg=x'], says: /--kubeconfg/ },
    { name: 'flag without its value', args: ['--kube-api-qps'], says: /--kube-api-qps needs a value/ },
    {
      name: 'value of the wrong kind',
      args: ['--concurrent-syncs=many'],
      says: /--concurrent-syncs: "many"/,
    },
    {
      name: 'unknown gate',
      args: ['--feature-gates=Nope=true'],
      says: /"Nope".*StorageObjectInUseProtection/,
    },
    {
      name: 'gate without truth value',
      args: ['--feature-gates=StorageObjectInUseProtection=on'],
      says: /"on"/,
    },
    {
      name: 'address out of range',
      args: ['--metrics-bind-address=:99999'],
      says: /--metrics-bind-address: ":99999"/,
    },
    {
      name: 'kubeconfig that is not there',
      args: ['--kubeconfig=/nonexistent/config'],
      says: /\/nonexistent\/config/,
    },
    { name: 'no kubeconfig anywhere', args: [], says: /--kubeconfig PATH/ },
    {
      name: 'lease shorter than its renewal',
      args: ['--leader-elect-lease-duration=5s'],
      says: /--leader-elect-lease-duration.*--leader-elect-renew-deadline/,
    },
  ])(
    '$name -> one clear line, exit 2',
    async ({ args, says }) => {
      const app = startApp('pvc-protection', args);
      expect(await app.exit).toEqual({ code: 2, signal: null });
      const lines = app.stderr().trimEnd().split('\n');
      const line = lines.at(-1) ?? '';
      expect(line).toMatch(says);
      expect(line).toMatch(/^pvc-protection: /);
      expect(lines).toHaveLength(1);
    },
    20_000,
  );

  test('context that the kubeconfig lacks -> names those it has, exit 2', async () => {
    const app = startApp('pvc-protection', [`--kubeconfig=${kubeconfig}`, '--context=there']);
    expect((await app.exit).code).toBe(2);
    expect(app.stderr()).toMatch(/no context "there"; it has here\n$/);
  }, 20_000);

  test('address in use -> says so, exit 2', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const app = startApp('pvc-protection', [
      `--kubeconfig=${kubeconfig}`,
      ...quiet,
      `--metrics-bind-address=127.0.0.1:${String(port)}`,
    ]);
    const { code } = await app.exit;
    other.close();
    expect(code).toBe(2);
    expect(app.stderr()).toMatch(
      new RegExp(`^pvc-protection: .*127\\.0\\.0\\.1:${String(port)}: it is in use.*\\n$`),
    );
  }, 20_000);
});

describe('signals', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s while the API server is away -> orderly end, exit 0',
    async (signal) => {
      const app = startApp('pvc-protection', [`--kubeconfig=${kubeconfig}`, ...quiet]);
      const deadline = performance.now() + 15_000;
      while (!app.stderr().includes('Watch failed')) {
        expect(performance.now()).toBeLessThan(deadline);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      app.kill(signal);
      expect(await app.exit).toEqual({ code: 0, signal: null });
      expect(app.stderr()).toContain('"msg":"Stopped"');
    },
    20_000,
  );
});
