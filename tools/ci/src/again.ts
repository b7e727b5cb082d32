import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { reasonNotToRepeat, type Report } from './steady.ts';

/**
 * Runs tests as CI does: `node tools/ci/src/again.ts REPORT COMMAND...`. The command takes jest's arguments
 * and writes its report to REPORT.
 *
 * If only a few files fail, they are run again on their own, twice. If they pass both times, the run passes:
 * such tests depend on how fast the machine is or on what runs at the same time. They count as passed and are
 * named in the report, and count.ts prints their names above its sum: each of them is a defect to be fixed,
 * either of the test or of the code that it tests. A failure caused by random input fails the run in any
 * case, since a run with other input proves nothing about it. The first report is kept next to the other one,
 * as `*.first.json`.
 */
const repeats = 2;
const root = join(import.meta.dirname, '../../..');

async function run(command: readonly string[]): Promise<number> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

async function main(report: string, command: readonly string[]): Promise<number> {
  await rm(report, { force: true });
  const code = await run(command);
  if (code === 0) {
    return 0;
  }
  const first = await readReport(report);
  const reason = first === undefined ? 'there is no report' : reasonNotToRepeat(first);
  if (first === undefined || reason !== undefined) {
    process.stdout.write(`again: not repeated: ${reason ?? ''}\n`);
    return code;
  }
  const kept = report.replace(/\.json$/, '.first.json');
  await copyFile(report, kept);
  const failed = first.testResults
    .filter((each) => each.status === 'failed')
    .map((each) => relative(root, each.name));
  for (let k = 1; k <= repeats; k++) {
    process.stdout.write(`again: ${String(k)} of ${String(repeats)}: ${failed.join(' ')}\n`);
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

const [report, ...command] = process.argv.slice(2);
if (report === undefined || command.length === 0) {
  process.stderr.write('usage: node tools/ci/src/again.ts REPORT COMMAND...\n');
  process.exitCode = 2;
} else {
  process.exitCode = await main(join(root, report), command);
}
