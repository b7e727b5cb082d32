import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startOrphanGuard } from '@holdfast/testing';
import { ensureBinaries, ensureTools, type EnsureOptions } from './ensure.ts';
import { garbageCollection } from './garbage-collection.ts';
import { type PartResult, type Part, parts } from './strangers/parts.ts';
import { playApiTests } from './strangers/play-api-tests.ts';
import { playCommands } from './strangers/play-commands.ts';
import { playSuites } from './strangers/play-suites.ts';
import { type Suite, suites } from './strangers/suites.ts';
import { UnavailableError } from './unavailable-error.ts';

/*
 * `npm run test:strangers`: runs other projects' tests and programs for the Kubernetes API on the embedded
 * API server and on a real one. What passes on the real server must pass on the embedded one, and what the
 * real server answers must be answered alike. Without Go nothing runs, and every part counts as skipped, in
 * capitals; HOLDFAST_REQUIRE_REAL=true makes that a failure. The last line is `N passed, N failed, N
 * skipped`; reports/test-strangers.json has the same numbers, and the time that each part took.
 */

const root = join(import.meta.dirname, '..', '..', '..');
const reports = join(root, 'reports');

const help = `Usage: npm run test:strangers -- [--part NAME]... [--suite NAME]...

Runs what others wrote against a Kubernetes API on the embedded API server and on a real one, each on one of its own.

  --part   ${parts.join(', ')}. May be given more than once. Default: all
  --suite  of controller-runtime: ${suites.join(', ')}. May be given more than once; no other part runs then
  --help   this text

Exit codes: 0, 1 something passes on the real server alone or is answered otherwise, 2 wrong usage.
`;

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const say = (line: string): void => void process.stderr.write(`test:strangers: ${line}\n`);

class UsageError extends Error {}

interface Choice {
  readonly help: boolean;
  readonly parts: readonly Part[];
  readonly suites: readonly Suite[];
}

function readChoice(args: readonly string[]): Choice {
  const { values } = parseArgs({
    args: [...args],
    options: {
      part: { type: 'string', multiple: true },
      suite: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.suite !== undefined && values.part !== undefined) {
    throw new UsageError('--suite is of the part controller-runtime: give it without --part');
  }
  return {
    help: values.help,
    parts: values.suite === undefined ? chosen('--part', parts, values.part) : ['controller-runtime'],
    suites: chosen('--suite', suites, values.suite),
  };
}

function chosen<Name extends string>(
  flag: string,
  names: readonly Name[],
  values: readonly string[] = names,
): readonly Name[] {
  const unknown = values.find((value) => !names.some((name) => name === value));
  if (unknown !== undefined) {
    throw new UsageError(`${flag} is "${unknown}": it may be ${names.join(', ')}`);
  }
  return names.filter((name) => values.includes(name));
}

interface Times {
  readonly part: Part;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
}

async function writeCounts(
  passed: number,
  failed: number,
  skipped: number,
  times: readonly Times[],
): Promise<void> {
  const counts = {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
    parts: times,
  };
  await mkdir(reports, { recursive: true });
  await writeFile(join(reports, 'test-strangers.json'), JSON.stringify(counts, undefined, 2));
  write(`${passed} passed, ${failed} failed, ${skipped} skipped`);
}

async function skip(left: readonly Part[], reason: string): Promise<number> {
  const rule = '!'.repeat(100);
  const text = [
    `NOTHING OF STRANGERS RAN: ${left.join(', ').toUpperCase()} SKIPPED`,
    '',
    ...reason.split('\n'),
    '',
    'HOLDFAST_REQUIRE_REAL=true makes this a failure.',
  ];
  write(['', rule, ...text.map((line) => `!! ${line}`.trimEnd()), rule, ''].join('\n'));
  await writeCounts(0, 0, left.length, []);
  return process.env['HOLDFAST_REQUIRE_REAL'] === 'true' ? 1 : 0;
}

/** Folders with the programs of each kind. Those that no part needs are not looked for. */
interface Programs {
  readonly assets: string;
  readonly suites: string;
  readonly apiTests: string;
  readonly helm: string;
}

async function findPrograms(wanted: readonly Part[], signal: AbortSignal): Promise<Programs> {
  const options: EnsureOptions = { env: process.env, signal, report: say };
  const has = (part: Part): boolean => wanted.includes(part);
  return {
    assets: await ensureBinaries({ ...options, release: '1.36' }),
    suites: has('controller-runtime') ? await ensureTools('controller-runtime', options) : '',
    apiTests: has('api-tests') ? await ensureTools('api-tests', options) : '',
    helm: has('helm') ? await ensureTools('helm', options) : '',
  };
}

async function play(choice: Choice, programs: Programs): Promise<number> {
  process.env['GOGC'] ??= garbageCollection;
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-test-strangers-'));
  const guard = await startOrphanGuard(scratch);
  const readme = await readFile(join(root, 'packages', 'apiserver', 'README.md'), 'utf8');
  const places = { assets: programs.assets, scratch, guard };
  const kubectl = join(programs.assets, 'kubectl');
  const players: Readonly<Record<Part, () => Promise<PartResult>>> = {
    'controller-runtime': () => playSuites(choice.suites, { ...places, tests: programs.suites }, readme, say),
    'api-tests': () =>
      playApiTests({ ...places, kubectl, file: join(programs.apiTests, 'api-tests') }, readme, say),
    kubectl: () => playCommands('kubectl', { kubectl }, readme, scratch),
    helm: () => playCommands('helm', { kubectl, helm: join(programs.helm, 'helm') }, readme, scratch),
  };
  const times: Times[] = [];
  try {
    for (const part of choice.parts) {
      const began = performance.now();
      const { passed, failures, notes } = await players[part]().catch((error: unknown): PartResult => ({
        passed: 0,
        failures: [error instanceof Error ? error.message : String(error)],
        notes: [],
      }));
      const seconds = Math.round((performance.now() - began) / 1_000);
      write(`\n${part}: ${passed} passed, ${failures.length} failed, ${seconds} s`);
      for (const line of [...notes, ...failures]) {
        write(line);
      }
      times.push({ part, passed, failed: failures.length, seconds });
    }
  } finally {
    await guard.dismiss();
    await rm(scratch, { recursive: true, force: true });
  }
  const sum = (of: 'passed' | 'failed'): number => times.reduce((sofar, time) => sofar + time[of], 0);
  await writeCounts(sum('passed'), sum('failed'), 0, times);
  return sum('failed') > 0 ? 1 : 0;
}

async function run(args: readonly string[]): Promise<number> {
  let choice: Choice;
  try {
    choice = readChoice(args);
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}; see --help`);
    return 2;
  }
  if (choice.help) {
    process.stdout.write(help);
    return 0;
  }
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  let programs: Programs;
  try {
    programs = await findPrograms(choice.parts, interrupted.signal);
  } catch (error) {
    if (error instanceof UnavailableError) {
      return await skip(choice.parts, error.message);
    }
    say(interrupted.signal.aborted ? 'stopped before any test ran' : String(error));
    return interrupted.signal.aborted ? 130 : 1;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
  return play(choice, programs);
}

process.exitCode = await run(process.argv.slice(2));
