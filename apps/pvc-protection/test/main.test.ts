import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KubeConfigError, parseCommandLine, runComposed, UsageError } from '@holdfast/runtime';
import { startApp } from '@holdfast/scenario';
import { pino } from 'pino';
import { command } from '../src/config.ts';
import { pvcProtection } from '../src/controller.ts';

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

/**
 * Runs the program within this process, until it fails, and returns what it fails with. Of a usage error and of one of
 * the kubeconfig, `runProgram` makes one line with the program's name on standard error, and exit code 2.
 */
async function failure(args: readonly string[]): Promise<Error> {
  try {
    const line = parseCommandLine(command, args, {});
    if (line.kind === 'print') {
      throw new Error(`printed instead: ${line.text}`);
    }
    const { name, version } = command;
    await runComposed(line.values, { name, version, flags: line.texts }, pvcProtection, {
      logger: pino({ level: 'silent' }),
      signal: AbortSignal.timeout(10_000),
    });
  } catch (error) {
    return error as Error;
  }
  throw new Error('it ran instead');
}

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
    {
      name: 'unknown gate',
      args: ['--feature-gates=Nope=true'],
      says: /"Nope".*StorageObjectInUseProtection/,
    },
    { name: 'no kubeconfig anywhere', args: [], says: /--kubeconfig PATH/ },
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

  test.each([
    { name: 'unknown flag', args: ['--kubeconfg=x'], says: /--kubeconfg/ },
    { name: 'flag without its value', args: ['--kube-api-qps'], says: /--kube-api-qps needs a value/ },
    {
      name: 'value of the wrong kind',
      args: ['--concurrent-syncs=many'],
      says: /--concurrent-syncs: "many"/,
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
      name: 'lease shorter than its renewal',
      args: ['--leader-elect-lease-duration=5s'],
      says: /--leader-elect-lease-duration.*--leader-elect-renew-deadline/,
    },
  ])('$name -> a usage error of one clear line', async ({ args, says }) => {
    const error = await failure(args);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(says);
    expect(error.message).not.toContain('\n');
  });

  test('kubeconfig that is not there -> named in one clear line', async () => {
    const error = await failure([...quiet, '--kubeconfig=/nonexistent/config']);
    expect(error).toBeInstanceOf(KubeConfigError);
    expect(error.message).toMatch(/\/nonexistent\/config/);
    expect(error.message).not.toContain('\n');
  });

  test('context that the kubeconfig lacks -> names those it has', async () => {
    const error = await failure([...quiet, `--kubeconfig=${kubeconfig}`, '--context=there']);
    expect(error).toBeInstanceOf(KubeConfigError);
    expect(error.message).toMatch(/no context "there"; it has here$/);
  });

  test('address in use -> a usage error says so', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const error = await failure([
      `--kubeconfig=${kubeconfig}`,
      ...quiet,
      `--metrics-bind-address=127.0.0.1:${String(port)}`,
    ]);
    other.close();
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(new RegExp(`127\\.0\\.0\\.1:${String(port)}: it is in use`));
    expect(error.message).not.toContain('\n');
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
