import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../fixtures/program.ts', import.meta.url));

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  /** Whether anybody reads what it writes. */
  readonly isRead?: boolean;
  /** Sent to the program when it has written something. */
  readonly signal?: NodeJS.Signals;
}

function run(
  does: string,
  argv: readonly string[] = [],
  { isRead = true, signal }: RunOptions = {},
): Promise<Outcome> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nowhere',
    // What they all load is compiled once, and no more than they need (tools/ci/processes).
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NODE_OPTIONS: process.env['NODE_OPTIONS'],
    PROGRAM_DOES: does,
  };
  const child = spawn(
    process.execPath,
    ['--conditions=@holdfast/source', '--no-warnings', program, ...argv],
    { env },
  );
  if (!isRead) {
    child.stdout.destroy();
  }
  if (signal !== undefined) {
    child.stdout.once('data', () => child.kill(signal));
  }
  return new Promise((resolve, reject) => {
    const outputs = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (outputs.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (outputs.stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...outputs }));
  });
}

test.each<{
  state: string;
  does: string;
  argv: readonly string[];
  code: number;
  stdout: RegExp;
  stderr: RegExp;
}>([
  { state: 'runs', does: 'print', argv: ['--concurrent-syncs=3'], code: 0, stdout: /^3\n$/, stderr: /^$/ },
  {
    state: '--help',
    does: 'throw',
    argv: ['--help'],
    code: 0,
    stdout: /^program 1\.2\.3: For tests\.\n/,
    stderr: /^$/,
  },
  { state: 'answers 7', does: 'seven', argv: [], code: 7, stdout: /^$/, stderr: /^$/ },
  {
    state: 'wrong flag',
    does: 'print',
    argv: ['--concurrent-syncs=0'],
    code: 2,
    stdout: /^$/,
    stderr: /^program: --concurrent-syncs: "0" can't be taken: [^\n]*\n$/,
  },
  {
    state: 'wrong usage found later',
    does: 'usage',
    argv: [],
    code: 2,
    stdout: /^$/,
    stderr: /^program: --that is wrong; use --this\n$/,
  },
  {
    state: 'no kubeconfig',
    does: 'kubeconfig',
    argv: [],
    code: 2,
    stdout: /^$/,
    stderr: /^program: no kubeconfig: [^\n]*--kubeconfig PATH\n$/,
  },
  {
    state: 'unexpected error',
    does: 'throw',
    argv: [],
    code: 1,
    stdout: /^$/,
    stderr: /^program: Error: nobody expected this\n\s+at /,
  },
  {
    state: 'Issue 17: unexpected error with secrets',
    does: 'throwSecret',
    argv: [],
    code: 1,
    stdout: /^$/,
    stderr: /^program: Error: no "\[redacted\]"\n(\s+at [^\n]*\n)+$/,
  },
  {
    state: 'Issue 17: rejection with secrets that nobody handles',
    does: 'reject',
    argv: [],
    code: 1,
    stdout: /^$/,
    stderr:
      /^program: Error: no "\[redacted\]"\n(\s+at [^\n]*\n)+caused by Error: said \[redacted\]\n(\s+at [^\n]*\n)+$/,
  },
])(
  '$state -> exit code $code',
  async ({ does, argv, code, stdout, stderr }) => {
    const outcome = await run(does, argv);
    expect(outcome).toEqual({
      code,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
  },
  30_000,
);

test.each(['--help', '--version'])('nobody reads the output of %s -> ends without a word', async (flag) => {
  expect(await run('throw', [flag], { isRead: false })).toEqual({ code: 0, stdout: '', stderr: '' });
});

test.each<{ state: string; does: string; signal: NodeJS.Signals; code: number; stdout: string }>([
  { state: 'starts', does: 'start', signal: 'SIGTERM', code: 143, stdout: 'starting\n' },
  { state: 'starts', does: 'start', signal: 'SIGINT', code: 130, stdout: 'starting\n' },
  { state: 'stops in its own way', does: 'stop', signal: 'SIGTERM', code: 7, stdout: 'started\n' },
])(
  '$signal while it $state -> exit code $code, and not left to the system, which ignores it for the first process of a container',
  async ({ does, signal, code, stdout }) => {
    expect(await run(does, [], { signal })).toEqual({ code, stdout, stderr: '' });
  },
  30_000,
);
