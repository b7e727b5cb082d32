import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: 'passed' | 'failed';
    readonly message: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/**
 * Runs the files beside this one in a single process, as `npm test` has several in each.
 *
 * @param cpuTimes where the CPU time of each file is written.
 */
function play(cpuTimes: string): Promise<{ readonly code: number; readonly report: Report }> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [
        'node_modules/jest/bin/jest.js',
        '--runInBand',
        '--json',
        '--testMatch=**/tools/ci/test/fixtures/*.fixture.ts',
        '--',
        'tools/ci/test/fixtures',
      ],
      {
        cwd: root,
        env: { ...process.env, HOLDFAST_GIVEN: 'as given', HOLDFAST_TEST_CPU: cpuTimes },
        timeout: 20_000,
        killSignal: 'SIGKILL',
      },
      (error, stdout) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') {
          resolve({ code, report: JSON.parse(stdout) as Report });
        } else {
          reject(error ?? new Error('no exit code'));
        }
      },
    );
  });
}

describe('test files that share a process', () => {
  let code: number;
  let report: Report;
  let folder: string;
  let cpuTimes: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-shared-process-'));
    cpuTimes = join(folder, 'cpu-times');
    ({ code, report } = await play(cpuTimes));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const result = (name: string): Report['testResults'][number] => {
    const found = report.testResults.find((each) => each.name.endsWith(`/${name}.fixture.ts`));
    if (found === undefined) {
      throw new Error(`${name} did not run`);
    }
    return found;
  };

  test.each(['first', 'second'])('%s of two that leave traces -> finds none of the other', (name) => {
    expect({ status: result(name).status, message: result(name).message }).toEqual({
      status: 'passed',
      message: '',
    });
  });

  test('files at fault among them -> exit 1, their tests fail and no others', () => {
    expect(code).toBe(1);
    expect(report).toMatchObject({ numPassedTests: 6, numFailedTests: 5 });
  });

  test.each([
    ['wrong value', 'at-fault.fixture.ts:14:23'],
    ['does not end', 'Exceeded timeout of 50 ms for a test.'],
    ['rejection that nobody heeds', 'nobody heeds this'],
    ['throws in a timer', 'thrown in a timer'],
    ['fewer assertions than it says', 'Expected one assertion to be called but received zero'],
  ])('%s -> that test fails, naming the reason', (title, reason) => {
    const { assertionResults, message } = result('at-fault');
    expect(assertionResults.find((each) => each.title === title)?.status).toBe('failed');
    expect(message).toContain(reason);
  });

  test('listener of a signal left behind -> the file fails, naming the signal', () => {
    expect(result('at-fault').message).toContain('listeners of SIGUSR2 are left behind');
  });

  test('HOLDFAST_TEST_CPU names a file -> a line for each test file, with what it took and its path', async () => {
    const lines = (await readFile(cpuTimes, 'utf8')).trimEnd().split('\n');
    const fixtures = ['at-fault', 'first', 'second'].map(
      (name) => `tools/ci/test/fixtures/${name}.fixture.ts`,
    );
    expect(lines.map((line) => line.split('\t').at(-1)).toSorted()).toEqual(fixtures);
    for (const line of lines) {
      expect(line).toMatch(/^(\d+\.\d\d\t){3}tools\//);
    }
  });
});
