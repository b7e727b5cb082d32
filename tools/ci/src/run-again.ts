import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { reasonNotToRepeat, type Report } from './steady.ts';

const repeats = 2;
const root = join(import.meta.dirname, '../../..');

async function run(command: readonly string[]): Promise<number> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

/**
 * Runs the command, which takes jest's arguments and writes its report to a file.
 *
 * If only a few files fail, they are run again on their own, twice. If they pass both times, the run passes:
 * such tests depend on how fast the machine is or on what runs at the same time. They count as passed and are
 * named in the report, and count.ts prints their names above its sum: each of them is a defect to be fixed,
 * either of the test or of the code that it tests. A failure caused by random input fails the run in any
 * case, since a run with other input proves nothing about it. The first report is kept next to the other one,
 * as `*.first.json`.
 *
 * @param report path of the file
 * @param say is given a line about each further run, or why there is none
 * @returns the exit code
 */
export async function runAgain(
  report: string,
  command: readonly string[],
  say: (line: string) => unknown,
): Promise<number> {
  await rm(report, { force: true });
  const code = await run(command);
  if (code === 0) {
    return 0;
  }
  const first = await readReport(report);
  const reason = first === undefined ? 'there is no report' : reasonNotToRepeat(first);
  if (first === undefined || reason !== undefined) {
    say(`again: not repeated: ${reason ?? ''}`);
    return code;
  }
  const kept = report.replace(/\.json$/, '.first.json');
  await copyFile(report, kept);
  const failed = first.testResults
    .filter((each) => each.status === 'failed')
    .map((each) => relative(root, each.name));
  for (let k = 1; k <= repeats; k++) {
    say(`again: ${String(k)} of ${String(repeats)}: ${failed.join(' ')}`);
    const repeated = await run([...command, '--runInBand', '--runTestsByPath', ...failed]);
    if (repeated !== 0) {
      await copyFile(kept, report);
      return repeated;
    }
  }
  const unsteady = first.testResults.flatMap((file) =>
    file.assertionResults
      .filter((each) => each.status === 'failed')
      .map((each) => `${relative(root, file.name)}: ${each.fullName}`),
  );
  await writeFile(
    report,
    JSON.stringify({
      ...first,
      numPassedTests: first.numPassedTests + first.numFailedTests,
      numFailedTests: 0,
      unsteady,
    }),
  );
  return 0;
}

async function readReport(file: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
