import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { startOrphanGuard } from '@holdfast/testing';
import { ensureBinaries, ensureTools } from './ensure.ts';
import { garbageCollection } from './garbage-collection.ts';
import { goEnvironment, goFolderOf } from './go-build.ts';
import { differencesOf } from './strangers/report.ts';
import { runSuite } from './strangers/run-suite.ts';
import { type Suite, packageOf, programOf, suites } from './strangers/suites.ts';
import { UnavailableError } from './unavailable-error.ts';

/*
 * The test suites of controller-runtime, as they are, on the embedded API server and on a real one: `npm run test:strangers`. A spec counts as passed when it
 * passes on the embedded server, as failed when it passes on the real one alone. Without Go nothing runs, and every suite counts as skipped, in capitals;
 * HOLDFAST_REQUIRE_REAL=true makes that a failure. The last line is `N passed, N failed, N skipped`; the same is in reports/test-strangers.json.
 */

const root = join(import.meta.dirname, '..', '..', '..');
const reports = join(root, 'reports');

const help = `Usage: npm run test:strangers -- [--suite NAME]...

Runs the test suites of controller-runtime on the embedded API server and on a real one, each on one of its own.

  --suite  ${suites.join(', ')}. May be given more than once. Default: all
  --help   this text

Exit codes: 0, 1 a spec passes on the real server alone, 2 wrong usage.
`;

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const say = (line: string): void => void process.stderr.write(`test:strangers: ${line}\n`);

class UsageError extends Error {}

function readSuites(args: readonly string[]): readonly Suite[] | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: { type: 'string', multiple: true, default: [...suites] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = values.suite.find((name) => !suites.some((suite) => suite === name));
  if (unknown !== undefined) {
    throw new UsageError(`--suite is "${unknown}": it may be ${suites.join(', ')}`);
  }
  return values.help ? undefined : suites.filter((suite) => values.suite.includes(suite));
}

interface Counts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

async function writeCounts(passed: number, failed: number, skipped: number): Promise<void> {
  const counts: Counts = {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
  };
  await mkdir(reports, { recursive: true });
  await writeFile(join(reports, 'test-strangers.json'), JSON.stringify(counts, undefined, 2));
  write(`${passed} passed, ${failed} failed, ${skipped} skipped`);
}

async function skip(chosen: readonly Suite[], reason: string): Promise<number> {
  const rule = '!'.repeat(100);
  const text = [
    `THE SUITES OF CONTROLLER-RUNTIME DID NOT RUN: ${chosen.length} SKIPPED`,
    '',
    ...reason.split('\n'),
    '',
    'HOLDFAST_REQUIRE_REAL=true makes this a failure.',
  ];
  write(['', rule, ...text.map((line) => `!! ${line}`.trimEnd()), rule, ''].join('\n'));
  await writeCounts(0, 0, chosen.length);
  return process.env['HOLDFAST_REQUIRE_REAL'] === 'true' ? 1 : 0;
}

interface Programs {
  readonly tests: string;
  readonly assets: string;
}

async function findPrograms(signal: AbortSignal): Promise<Programs> {
  const options = { env: process.env, signal, report: say };
  return {
    assets: await ensureBinaries({ ...options, release: '1.36' }),
    tests: await ensureTools('controller-runtime', options),
  };
}

/** Where a package's sources are, beside which its tests find their data. */
async function folderOf(suite: Suite): Promise<string> {
  const { stdout } = await promisify(execFile)(
    'go',
    ['list', '-mod=readonly', '-f', '{{.Dir}}', packageOf(suite)],
    { cwd: goFolderOf('controller-runtime'), env: goEnvironment(process.env) },
  );
  return stdout.trim();
}

async function play(chosen: readonly Suite[], { tests, assets }: Programs): Promise<number> {
  process.env['GOGC'] ??= garbageCollection;
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-test-strangers-'));
  const guard = await startOrphanGuard(scratch);
  let passed = 0;
  let failed = 0;
  try {
    for (const suite of chosen) {
      const run = {
        suite,
        file: join(tests, programOf(suite)),
        folder: await folderOf(suite),
        assets,
        scratch,
        guard,
      };
      try {
        const [embedded, real] = [await runSuite('embedded', run), await runSuite('real', run)];
        const different = differencesOf(embedded, real);
        passed += embedded.passed.length;
        failed += different.length;
        write(
          `${suite}: ${embedded.passed.length} pass on the embedded server, ${real.passed.length} on the real one`,
        );
        for (const name of different) {
          write(`  fails on the embedded server alone: ${name}`);
        }
      } catch (error) {
        failed += 1;
        write(`${suite}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    await guard.dismiss();
    await rm(scratch, { recursive: true, force: true });
  }
  await writeCounts(passed, failed, 0);
  return failed > 0 ? 1 : 0;
}

async function run(args: readonly string[]): Promise<number> {
  let chosen: readonly Suite[] | undefined;
  try {
    chosen = readSuites(args);
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}; see --help`);
    return 2;
  }
  if (chosen === undefined) {
    process.stdout.write(help);
    return 0;
  }
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  let programs: Programs;
  try {
    programs = await findPrograms(interrupted.signal);
  } catch (error) {
    if (error instanceof UnavailableError) {
      return await skip(chosen, error.message);
    }
    say(interrupted.signal.aborted ? 'stopped before any test ran' : String(error));
    return interrupted.signal.aborted ? 130 : 1;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
  return play(chosen, programs);
}

process.exitCode = await run(process.argv.slice(2));
