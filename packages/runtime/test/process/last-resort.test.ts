import { expect, test } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const app = fileURLToPath(new URL('../fixtures/hanging-app.ts', import.meta.url));
const kubeconfig = JSON.stringify({
  'current-context': 'here',
  clusters: [{ name: 'here', cluster: { server: 'http://127.0.0.1:1' } }],
  users: [{ name: 'me', user: {} }],
  contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
});

const runProgram = new URL('../../src/process/run-program.ts', import.meta.url).href;
const lastResort = new URL('../../src/process/last-resort.ts', import.meta.url).href;

// Each is a process of its own that gets some seconds to end by itself: they do so side by side.

test.concurrent.each([
  { what: 'what runs', argv: [], begun: '"Starting"' },
  { what: 'a step of --uninstall', argv: ['--uninstall'], begun: '"Uninstalling"' },
])(
  'H2: second signal, and $what heeds no signal -> the process exits all the same, and logs it',
  async ({ argv, begun }) => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-last-resort-'));
    const path = join(folder, 'kubeconfig');
    await writeFile(path, kubeconfig);
    const child = spawn(
      process.execPath,
      [
        '--conditions=@holdfast/source',
        '--no-warnings',
        app,
        `--kubeconfig=${path}`,
        '--leader-elect=false',
        '--metrics-bind-address=0',
        '--health-probe-bind-address=0',
        ...argv,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let log = '';
    let signals = 0;
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const due = log.includes('"Stopping"') ? 2 : log.includes(begun) ? 1 : 0;
      for (; signals < due; signals++) {
        child.kill('SIGTERM');
      }
    });
    const [code] = (await once(child, 'close')) as [number | null];
    await rm(folder, { recursive: true });
    expect(log).toContain('Abandoned work does not end; exiting');
    expect(code).toBe(1);
  },
  60_000,
);

test.concurrent(
  'X3: what runs waits for a file system that hangs -> the process ends all the same, and logs it',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-last-resort-'));
    // To open a pipe that nobody writes to is a call that does not return.
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const script = `
    import { open } from 'node:fs/promises';
    import { endWhateverHangs } from ${JSON.stringify(lastResort)};
    endWhateverHangs(abandoned(), { fatal: (_fields, line) => console.log(line) });
    function abandoned() {
      const controller = new AbortController();
      setImmediate(() => controller.abort());
      return controller.signal;
    }
    await open(${JSON.stringify(join(folder, 'pipe'))}, 'r');
  `;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let log = '';
    child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const [, signal] = (await once(child, 'close')) as [null, string];
    await rm(folder, { recursive: true });
    expect(log).toContain('Abandoned work does not end; exiting');
    expect(signal).toBe('SIGKILL');
  },
  60_000,
);

test.concurrent.each([
  { what: 'has stopped as it should', ending: 'return 0;' },
  { what: 'has failed', ending: 'throw new Error("failed");' },
  {
    what: 'meets an error that nobody catches',
    ending: 'setTimeout(() => { throw new Error("nobody catches"); }); await new Promise(() => undefined);',
  },
])(
  'program $what, a call into a file system still hangs -> the process ends all the same',
  async ({ ending }) => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-last-resort-'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const script = `
    import { open } from 'node:fs/promises';
    import { runProgram } from ${JSON.stringify(runProgram)};
    const command = { name: 'stopping', version: '1', description: 'for tests.', flags: {} };
    await runProgram(command, async () => {
      open(${JSON.stringify(join(folder, 'pipe'))}, 'r');
      ${ending}
    });
  `;
    const child = spawn(
      process.execPath,
      ['--conditions=@holdfast/source', '--no-warnings', '--input-type=module', '--eval', script],
      { stdio: 'ignore' },
    );
    const [, signal] = (await once(child, 'close')) as [null, string];
    await rm(folder, { recursive: true });
    expect(signal).toBe('SIGKILL');
  },
  60_000,
);

test.concurrent.each([
  { what: 'has stopped as it should', ending: 'return 0;', code: 0 },
  { what: 'has left something', ending: 'return 1;', code: 1 },
  { what: 'has failed', ending: 'throw new Error("failed");', code: 1 },
  { what: 'was used wrongly', ending: 'throw new UsageError("wrong");', code: 2 },
])(
  'program $what, and a connection is still open -> it ends all the same, with exit code $code',
  async ({ ending, code }) => {
    const script = `
    import { runProgram } from ${JSON.stringify(runProgram)};
    import { UsageError } from ${JSON.stringify(new URL('../../src/flags/command-line.ts', import.meta.url).href)};
    const command = { name: 'stopping', version: '1', description: 'for tests.', flags: {} };
    await runProgram(command, async () => {
      setInterval(() => undefined, 60_000);
      ${ending}
    });
  `;
    const child = spawn(
      process.execPath,
      ['--conditions=@holdfast/source', '--no-warnings', '--input-type=module', '--eval', script],
      { stdio: 'ignore' },
    );
    expect((await once(child, 'close'))[0]).toBe(code);
  },
  60_000,
);

test.concurrent(
  'the name of the API server is still being looked up -> the process does not wait for the name servers',
  async () => {
    const script = `
    import { lookup } from 'node:dns';
    import { exitWhateverHangs } from ${JSON.stringify(lastResort)};
    lookup('nobody.invalid', () => undefined);
    exitWhateverHangs(1);
  `;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script], {
      stdio: 'ignore',
    });
    const [, signal] = (await once(child, 'close')) as [null, string];
    expect(signal).toBe('SIGKILL');
  },
  60_000,
);

test.concurrent(
  'the system ignores that the process kills itself, as for the first of a container -> it aborts',
  async () => {
    const script = `
    import { lookup } from 'node:dns';
    import { exitWhateverHangs } from ${JSON.stringify(lastResort)};
    process.kill = () => true;
    lookup('nobody.invalid', () => undefined);
    exitWhateverHangs(1);
  `;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script], {
      stdio: 'ignore',
    });
    const [, signal] = (await once(child, 'close')) as [null, string];
    expect(signal).toBe('SIGABRT');
  },
  60_000,
);
