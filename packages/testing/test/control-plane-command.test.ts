import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { until } from './real/until.ts';

jest.setTimeout(60_000);

const entry = new URL('../src/control-plane-command.ts', import.meta.url).href;

/** The bin's command from the sources, for another process: a build is not needed to try it. */
function commandLine(args: readonly string[]): string[] {
  return [...scriptLine('await runControlPlaneCommand(process.argv.slice(1));'), '--', ...args];
}

function scriptLine(body: string): string[] {
  const script = `const { runControlPlaneCommand } = await import(${JSON.stringify(entry)}); ${body}`;
  return ['--conditions=@holdfast/source', '--input-type=module', '-e', script];
}

/** Without stand-ins, which take most of a start: for tests that are about something else. */
const alone = ['--controllers', 'none'];

const endOfCommand = '\n---\n';

/**
 * Several commands in one process, which costs a tenth of a process for each: one after the other, each with
 * its exit code on standard error. The process ends with the exit code of the last one.
 */
function startOneByOne(
  commands: readonly (readonly string[])[],
  env: NodeJS.ProcessEnv = {},
): ReturnType<typeof start> {
  const body = `for (const args of ${JSON.stringify(commands)}) {
    process.exitCode = undefined;
    await runControlPlaneCommand(args);
    process.stderr.write('exit code ' + process.exitCode + ${JSON.stringify(endOfCommand)});
  }`;
  return startScript(body, env);
}

/** The same, all at once, for those that serve: a signal ends them all. */
function startAtOnce(commands: readonly (readonly string[])[]): ReturnType<typeof start> {
  return startScript(
    `await Promise.all(${JSON.stringify(commands)}.map((args) => runControlPlaneCommand(args)));`,
  );
}

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

function startScript(body: string, env: NodeJS.ProcessEnv = {}): ReturnType<typeof start> {
  return spawn(process.execPath, scriptLine(body), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
    let child: ReturnType<typeof start>;
    beforeAll(async () => {
      const commands = cases.map(({ flags }) => ['--write-kubeconfig', fileOf(flags), ...flags]);
      child = startAtOnce(commands);
      let serving = 0;
      createInterface(child.stderr).on('line', () => (serving += 1));
      await until('all serve', () => serving === commands.length);
    });
    afterAll(async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
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

  const wrongFlags: readonly (readonly [args: readonly string[], expected: string])[] = [
    [['--write-kubeconfig', ''], '--write-kubeconfig is ""'],
    [['--port', 'x'], '--port is "x"'],
    [['--real', '--release', '1.2'], '--release is "1.2"'],
    [['--release', '1.31'], '--release goes with --real'],
    [['--controllers', ''], '--controllers is ""'],
    [['--controllers', 'none,job-controller'], '--controllers is "none,job-controller"'],
    [['--controllers', '*,-nobody'], 'no stand-in for controller "-nobody": there are'],
  ];
  /** What the commands say that end by themselves, all in one process. */
  let said: readonly string[] = [];
  let code: number | null = null;
  let port = 0;
  let assets = '';
  let file = '';
  beforeAll(async () => {
    assets = await mkdtemp(join(folder, 'assets-'));
    for (const name of ['etcd', 'kube-apiserver']) {
      await writeFile(join(assets, name), '', { mode: 0o755 });
    }
    // A folder has the name.
    file = await mkdtemp(join(folder, 'kubeconfig-'));
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    ({ port } = other.address() as AddressInfo);
    try {
      const child = startOneByOne(
        [
          ...wrongFlags.map(([args]) => args),
          ['--real'],
          ['--write-kubeconfig', file, ...alone],
          ['--port', String(port), ...alone],
        ],
        { KUBEBUILDER_ASSETS: assets },
      );
      const exit = once(child, 'exit') as Promise<[number | null]>;
      const [all, [last]] = await Promise.all([text(child.stderr), exit]);
      code = last;
      said = all.split(endOfCommand);
    } finally {
      other.close();
    }
  });

  test('port that another has -> exits 1 and names it, in one line', () => {
    expect(said[wrongFlags.length + 2]).toBe(
      `holdfast-control-plane: port ${String(port)} of 127.0.0.1 is in use; choose another with --port, or leave it out for a free one\nexit code 1`,
    );
    // It is the last command, so that the process ends with its exit code.
    expect(code).toBe(1);
  });

  test('--real, binaries without kube-controller-manager -> exits 1 and says that it can do without', () => {
    const answer = said[wrongFlags.length];
    expect(answer).toMatch(/exit code 1$/);
    expect(answer).toContain(`${assets}, which lacks kube-controller-manager`);
    expect(answer).toContain('--controllers none');
  });

  test('kubeconfig that cannot be written -> exits 1, names the file in one line, and leaves no other', async () => {
    const answer = said[wrongFlags.length + 1];
    expect(answer).toMatch(/^holdfast-control-plane: [^\n]*\nexit code 1$/);
    expect(answer).toContain(`--write-kubeconfig: ${file} can't be written: EISDIR`);
    expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toStrictEqual([]);
  });

  describe('flags that are wrong -> exits 2 and says why', () => {
    test.each(wrongFlags.map(([args, expected], index) => ({ args, expected, index })))(
      '$args',
      ({ args, expected, index }) => {
        expect({ args, said: said[index] }).toEqual({
          args,
          said: expect.stringMatching(/exit code 2$/),
        });
        expect(said[index]).toContain(expected);
      },
    );
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
