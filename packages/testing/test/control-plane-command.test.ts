import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { controlPlaneCommand } from '../src/control-plane-command.ts';
import { until } from './real/until.ts';

jest.setTimeout(60_000);

const entry = new URL('../src/control-plane-command.ts', import.meta.url).href;

/** The bin's command from the sources, for another process: a build is not needed to try it. */
function commandLine(args: readonly string[]): string[] {
  const script = `const { runControlPlaneCommand } = await import(${JSON.stringify(entry)}); await runControlPlaneCommand(process.argv.slice(1));`;
  return ['--conditions=@holdfast/source', '--input-type=module', '-e', script, '--', ...args];
}

/** Without stand-ins, which take most of a start: for tests that are about something else. */
const alone = ['--controllers', 'none'];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'control-plane-command-'));
});
afterAll(() => rm(folder, { recursive: true }));

function start(...args: string[]): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, commandLine(args), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The command in this process, which costs a tenth of another one. */
interface Running {
  stdout: string;
  stderr: string;
  readonly code: Promise<number>;
  stop(): void;
}

function run(...args: readonly string[]): Running {
  const stopping = new AbortController();
  const running: { -readonly [Key in keyof Running]: Running[Key] } = {
    stdout: '',
    stderr: '',
    code: Promise.resolve(0),
    stop: () => stopping.abort(),
  };
  running.code = controlPlaneCommand(args, {
    stdout: { write: (text) => (running.stdout += text) },
    stderr: { write: (text) => (running.stderr += text) },
    stopRequest: () => stopping.signal,
  });
  return running;
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Record<string, string> }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

const getNamespaces = (kubeconfig: Kubeconfig): Promise<number | undefined> =>
  get(kubeconfig, '/api/v1/namespaces');

/** Gives the status of the answer. */
async function get(kubeconfig: Kubeconfig, path: string): Promise<number | undefined> {
  const { cluster } = kubeconfig.clusters[0];
  const sent = request(`${cluster['server'] ?? ''}${path}`, {
    ca: Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64'),
    headers: { authorization: `Bearer ${kubeconfig.users[0].user.token}` },
    agent: false,
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [{ statusCode?: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

describe('holdfast-control-plane', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'serves -> the kubeconfig is there and good; %s -> ends with 0',
    async (signal) => {
      const file = join(folder, `${signal}.kubeconfig`);
      const child = start('--write-kubeconfig', file, ...alone);
      const exit = once(child, 'exit');
      await once(child.stderr, 'data');
      const kubeconfig = JSON.parse(await readFile(file, 'utf8')) as Kubeconfig;
      expect(await getNamespaces(kubeconfig)).toBe(200);
      child.kill(signal);
      expect(await exit).toEqual([0, null]);
    },
  );

  describe('controllers named -> these run, and no others', () => {
    const cases = [
      { flags: [], account: 200, rootCa: 200 },
      { flags: ['--controllers', '*,-root-ca-certificate-publisher-controller'], account: 200, rootCa: 404 },
      { flags: ['--controllers', 'root-ca-certificate-publisher-controller'], account: 404, rootCa: 200 },
      { flags: ['--controllers', 'none'], account: 404, rootCa: 404 },
    ];
    const fileOf = (flags: readonly string[]): string => join(folder, `${flags.join('')}.kubeconfig`);
    let all: readonly Running[];
    beforeAll(async () => {
      all = cases.map(({ flags }) => run('--write-kubeconfig', fileOf(flags), ...flags));
      await until('all serve', () => all.every(({ stderr }) => stderr.startsWith('serving on ')));
    });
    afterAll(async () => {
      all.forEach(({ stop }) => stop());
      expect(await Promise.all(all.map(({ code }) => code))).toEqual([0, 0, 0, 0]);
    });

    test.each(cases)('$flags', async ({ flags, account, rootCa }) => {
      const kubeconfig = JSON.parse(await readFile(fileOf(flags), 'utf8')) as Kubeconfig;
      const path = '/api/v1/namespaces/default';
      const seen = async (): Promise<object> => ({
        account: await get(kubeconfig, `${path}/serviceaccounts/default`),
        rootCa: await get(kubeconfig, `${path}/configmaps/kube-root-ca.crt`),
      });
      const present = JSON.stringify({ account, rootCa });
      await until('those that run have worked', async () => JSON.stringify(await seen()) === present);
    });
  });

  let shell: ReturnType<typeof start>;
  let printed: Promise<string>;
  let ended: Promise<unknown>;
  beforeAll(async () => {
    shell = spawn('sh', ['-c', '"$@"; true', 'sh', process.execPath, ...commandLine(alone)], {
      env: { ...process.env, npm_lifecycle_event: 'npx' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    printed = text(shell.stdout);
    // Closed when the last process that holds it has ended.
    ended = once(shell.stderr, 'close');
    await once(shell.stderr, 'data');
    shell.kill('SIGTERM');
  });

  test('no file asked for -> the kubeconfig is printed', async () => {
    expect(JSON.parse(await printed)).toMatchObject({ kind: 'Config' });
  });

  test('below the shell that npx has between, which is ended -> ends, too', async () => {
    await ended;
    expect(shell.signalCode).toBe('SIGTERM');
  });

  test('port that another has -> exits 1 and names it, in one line', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    try {
      const command = run('--port', port, ...alone);
      expect(await command.code).toBe(1);
      expect(command.stderr).toBe(
        `holdfast-control-plane: port ${port} of 127.0.0.1 is in use; choose another with --port, or leave it out for a free one\n`,
      );
    } finally {
      other.close();
    }
  });

  test('--real, binaries without kube-controller-manager -> exits 1 and says that it can do without', async () => {
    const assets = await mkdtemp(join(folder, 'assets-'));
    for (const name of ['etcd', 'kube-apiserver']) {
      await writeFile(join(assets, name), '', { mode: 0o755 });
    }
    const before = process.env['KUBEBUILDER_ASSETS'];
    process.env['KUBEBUILDER_ASSETS'] = assets;
    try {
      const command = run('--real');
      expect(await command.code).toBe(1);
      expect(command.stderr).toContain(`${assets}, which lacks kube-controller-manager`);
      expect(command.stderr).toContain('--controllers none');
    } finally {
      if (before === undefined) {
        delete process.env['KUBEBUILDER_ASSETS'];
      } else {
        process.env['KUBEBUILDER_ASSETS'] = before;
      }
    }
  });

  test('kubeconfig that cannot be written -> exits 1, names the file in one line, and leaves no other', async () => {
    // A folder has the name.
    const file = await mkdtemp(join(folder, 'kubeconfig-'));
    const command = run('--write-kubeconfig', file, ...alone);
    expect(await command.code).toBe(1);
    expect(command.stderr).toMatch(/^holdfast-control-plane: [^\n]*\n$/);
    expect(command.stderr).toContain(`--write-kubeconfig: ${file} can't be written: EISDIR`);
    expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toStrictEqual([]);
  });

  test.each<readonly [args: readonly string[], expected: string]>([
    [['--write-kubeconfig', ''], '--write-kubeconfig is ""'],
    [['--port', 'x'], '--port is "x"'],
    [['--real', '--release', '1.2'], '--release is "1.2"'],
    [['--release', '1.31'], '--release goes with --real'],
    [['--controllers', ''], '--controllers is ""'],
    [['--controllers', 'none,job-controller'], '--controllers is "none,job-controller"'],
    [['--controllers', '*,-nobody'], 'no stand-in for controller "-nobody": there are'],
  ])('flags that are wrong, %j -> exits 2 and says why', async (args, expected) => {
    const command = run(...args);
    expect(await command.code).toBe(2);
    expect(command.stderr).toContain(expected);
    expect(command.stdout).toBe('');
  });

  test('flag that is none -> exits 2 and names it', async () => {
    const child = start('--nope');
    const exit = once(child, 'exit') as Promise<[number | null]>;
    const [said, [code]] = await Promise.all([text(child.stderr), exit]);
    expect(code).toBe(2);
    expect(said).toContain('--nope');
  });
});

test('nobody reads the output of --help -> ends without a word', async () => {
  const command = start('--help');
  command.stdout.destroy();
  const closed = once(command, 'close') as Promise<[number | null]>;
  const [complaint, [code]] = await Promise.all([text(command.stderr), closed]);
  expect({ complaint, code }).toEqual({ complaint: '', code: 0 });
});
