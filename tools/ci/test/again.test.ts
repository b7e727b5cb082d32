import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runAgain } from '../src/run-again.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Stands in for jest: run K of it writes report K, and ends as that report says. */
const runner = (folder: string): string => `
  cd '${folder}'
  printf '%s\\t' "$@" >> runs
  echo >> runs
  planned=run-$(grep -c '' runs).json
  [ -e $planned ] || exit 7
  cp $planned report.json
  grep -q '"numFailedTests":0,' report.json
`;

const passed = { status: 'passed', fullName: 'fine', failureMessages: [] };

function report(
  failures: Readonly<Record<string, string>>,
  { runtimeErrors = 0 }: { readonly runtimeErrors?: number } = {},
): object {
  const failed = Object.entries(failures);
  return {
    numPassedTests: 2,
    numFailedTests: failed.length,
    numPendingTests: 1,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: runtimeErrors,
    testResults: [
      { name: join(root, 'fine.test.ts'), status: 'passed', assertionResults: [passed, passed] },
      ...failed.map(([file, message]) => ({
        name: join(root, file),
        status: 'failed',
        assertionResults: [{ status: 'failed', fullName: `of ${file}`, failureMessages: [message] }],
      })),
    ],
  };
}

describe('a run of tests in CI', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-again-'));
    await writeFile(join(folder, 'runner.sh'), runner(folder));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function node(args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: root }, (error, stdout) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout }),
      );
    });
  }

  /** Runs the tests; by the program, or in this process, which costs less. */
  type Again = (report: string, ...command: readonly string[]) => Promise<number>;
  const asProgram: Again = async (report, ...command) =>
    (await node(['tools/ci/src/again.ts', relative(root, report), ...command])).code;
  const inThisProcess: Again = (report, ...command) => runAgain(report, command, () => undefined);

  async function play(reports: readonly object[], again = inThisProcess) {
    await Promise.all(
      reports.map((each, k) => writeFile(join(folder, `run-${String(k + 1)}.json`), JSON.stringify(each))),
    );
    const file = join(folder, 'report.json');
    const code = await again(file, 'sh', join(folder, 'runner.sh'), '--json');
    const runs = (await readFile(join(folder, 'runs'), 'utf8'))
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t').slice(0, -1));
    const counted = await node(['tools/ci/src/count.ts', relative(root, file)]);
    return { code, runs, counted };
  }

  test('all pass -> one run', async () => {
    const { code, runs, counted } = await play([report({})]);
    expect({ code, runs, counted: counted.stdout }).toEqual({
      code: 0,
      runs: [['--json']],
      counted: '2 passed, 0 failed, 1 skipped\n',
    });
  });

  test('one file fails and then passes twice by itself -> passes, its name above the sum', async () => {
    const { code, runs, counted } = await play(
      [report({ 'slow.test.ts': 'too late' }), report({}), report({})],
      asProgram,
    );
    const alone = ['--json', '--runInBand', '--runTestsByPath', 'slow.test.ts'];
    expect({ code, runs }).toEqual({ code: 0, runs: [['--json'], alone, alone] });
    expect(counted.stdout).toBe(
      'UNSTEADY, passed only when run again: slow.test.ts: of slow.test.ts\n3 passed, 0 failed, 1 skipped\n',
    );
    expect(counted.code).toBe(0);
  });

  test.each([
    ['a file fails again the second time', [report({ a: 'x' }), report({}), report({ a: 'x' })], 3, 1],
    ['a file fails again at once', [report({ a: 'x' }), report({ a: 'x' })], 2, 1],
    ['a property fails', [report({ a: 'Property failed after 3 tests\n{ seed: -7, path: "2" }' })], 1, 1],
    ['four files fail', [report({ a: 'x', b: 'x', c: 'x', d: 'x' })], 1, 4],
    ['a file could not be loaded', [report({ a: 'x' }, { runtimeErrors: 1 })], 1, 2],
  ])('%s -> the first report counts', async (_, reports, runs, failed) => {
    const seen = await play(reports);
    expect(seen.code).toBe(1);
    expect(seen.runs).toHaveLength(runs);
    expect(seen.counted.stdout).toBe(`2 passed, ${String(failed)} failed, 1 skipped\n`);
    expect(seen.counted.code).toBe(1);
  });

  test('the runner ends without a report -> its exit code', async () => {
    const { code, runs } = await play([], asProgram);
    expect({ code, runs: runs.length }).toEqual({ code: 7, runs: 1 });
  });
});
