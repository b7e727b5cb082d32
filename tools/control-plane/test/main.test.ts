import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { controlPlane } from '../src/command.ts';
import { fakeGo } from './fake-go.ts';
import { temporaryFolders } from './temporary-folder.ts';
import { until } from './until.ts';

const newFolder = temporaryFolders();
const main = join(import.meta.dirname, '..', 'src', 'main.ts');

interface Run {
  stdout: string;
  stderr: string;
  readonly code: Promise<number | null>;
}

function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Run & { readonly pid: number } {
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', main, ...args], {
    // What they all load is compiled once, and no more than they need (tools/ci/processes).
    env: {
      ...env,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
    },
  });
  const run = {
    pid: child.pid ?? 0,
    stdout: '',
    stderr: '',
    code: once(child, 'close').then(([code]) => code as number | null),
  };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (run.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (run.stderr += chunk));
  return run;
}

/**
 * The command in this process; what a process adds is shown below, by those that are sent signals. A test that gets as
 * far as a cache names its folder: the home folder is that of this process.
 */
function run(args: readonly string[], env: Readonly<Record<string, string>>): Run {
  const said = { stdout: '', stderr: '' };
  const code = controlPlane(args, {
    env,
    stdout: { write: (text) => (said.stdout += text) },
    stderr: { write: (text) => (said.stderr += text) },
    signal: new AbortController().signal,
  });
  return Object.assign(said, { code });
}

describe('control-plane', () => {
  test.concurrent.each([
    { args: ['--bogus'], says: 'control-plane: unknown flag --bogus; see --help\n' },
    {
      args: ['--release', '1.30'],
      says: 'control-plane: --release is "1.30": it may be 1.36, 1.31 or all; see --help\n',
    },
    {
      args: ['--release'],
      says: 'control-plane: --release is "": it may be 1.36, 1.31 or all; see --help\n',
    },
    {
      args: ['--tools', 'kustomize'],
      says: 'control-plane: --tools is "kustomize": it may be kubeconform, kube-score, helm, prometheus, e2e, controller-runtime, etcdutl, api-tests, csi-provisioner or all; see --help\n',
    },
    {
      args: ['--tools', 'helm', '--release', '1.36'],
      says: 'control-plane: --release and --tools are two commands; see --help\n',
    },
    { args: ['1.31'], says: 'control-plane: unexpected argument "1.31"; see --help\n' },
  ])('$args -> exit code 2 and one line', async ({ args, says }) => {
    const ran = run(args, {});
    expect(await ran.code).toBe(2);
    expect(ran.stderr).toBe(says);
    expect(ran.stdout).toBe('');
  });

  test.concurrent('--help -> usage on stdout, exit code 0', async () => {
    const ran = run(['--help'], {});
    expect(await ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Usage: npm run control-plane -- \[--release 1\.36\|1\.31\|all\]\n/);
  });

  test.concurrent('no Go -> exit code 3, says what to do', async () => {
    const folder = await newFolder();
    const ran = run([], { PATH: folder, HOME: folder, XDG_CACHE_HOME: folder });
    expect(await ran.code).toBe(3);
    expect(ran.stderr).toMatch(/^control-plane: .*install Go 1\.26 or later.*\n$/);
    expect(ran.stdout).toBe('');
  });

  test.concurrent('KUBEBUILDER_ASSETS empty of programs -> exit code 3, names them', async () => {
    const ran = run([], { KUBEBUILDER_ASSETS: await newFolder() });
    expect(await ran.code).toBe(3);
    expect(ran.stderr).toContain('lacks etcd, kube-apiserver, kube-controller-manager, kubectl:');
  });

  test.concurrent('--release all -> a folder on each line of stdout, and nothing else', async () => {
    const go = await fakeGo(await newFolder());
    const ran = run(['--release', 'all'], go.env);
    expect(await ran.code).toBe(0);
    expect(ran.stdout).toBe(`${join(go.cache, '1.36')}\n${join(go.cache, '1.31')}\n`);
  });

  test.concurrent('--tools twice -> the folder of each on stdout, and nothing else', async () => {
    const go = await fakeGo(await newFolder(), { makes: ['helm', 'kubeconform'] });
    const ran = run(['--tools', 'helm', '--tools', 'kubeconform'], go.env);
    expect(await ran.code).toBe(0);
    expect(ran.stdout).toBe(`${join(go.toolsCache, 'helm')}\n${join(go.toolsCache, 'kubeconform')}\n`);
    expect(await go.builds()).toHaveLength(2);
  });

  test.concurrent('build fails -> exit code 1', async () => {
    const go = await fakeGo(await newFolder(), { failure: 'undefined: frobnicate' });
    const ran = run([], go.env);
    expect(await ran.code).toBe(1);
    expect(ran.stderr).toContain('undefined: frobnicate');
  });

  test.concurrent('the program, unknown flag -> the same exit code and line', async () => {
    const ran = start(['--bogus'], {});
    expect(await ran.code).toBe(2);
    expect(ran.stderr).toBe('control-plane: unknown flag --bogus; see --help\n');
    expect(ran.stdout).toBe('');
  });

  test.concurrent('two processes at once -> one builds, both print the folder', async () => {
    const go = await fakeGo(await newFolder(), { gated: true });
    const runs = [start([], go.env), start([], go.env)];
    await until('one waits', () => runs.some((run) => run.stderr.includes('waiting for it')));
    await go.openGate();
    expect(await Promise.all(runs.map((run) => run.code))).toEqual([0, 0]);
    expect(runs.map((run) => run.stdout)).toEqual(Array(2).fill(`${join(go.cache, '1.36')}\n`));
    expect(await go.builds()).toHaveLength(1);
  });

  test.concurrent.each([
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
  ] as const)(
    '$signal while building -> exit code $code, go has ended, nothing left',
    async ({ signal, code }) => {
      const go = await fakeGo(await newFolder(), { gated: true });
      const run = start([], go.env);
      await until('go builds', async () => (await go.builds()).length === 1);
      process.kill(run.pid, signal);
      expect(await run.code).toBe(code);
      const [pid = 0] = await go.builds();
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
      expect(await readdir(go.cache)).toStrictEqual([]);
    },
  );

  test.concurrent('SIGKILL while building -> the next one takes the lock over and clears up', async () => {
    const go = await fakeGo(await newFolder(), { gated: true });
    const killed = start([], go.env);
    await until('go builds', async () => (await go.builds()).length === 1);
    process.kill(killed.pid, 'SIGKILL');
    const [orphan = 0] = await go.builds();
    process.kill(orphan, 'SIGKILL');
    await killed.code;
    await go.openGate();
    const next = start([], go.env);
    expect(await next.code).toBe(0);
    expect((await readdir(go.cache)).filter((name) => !/^1\.36(-[0-9a-f]{16})?$/.test(name))).toStrictEqual(
      [],
    );
  });
});
