import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOrphanGuard } from '@holdfast/testing';
import { ensureBinaries } from './ensure.ts';
import { garbageCollection } from './garbage-collection.ts';
import { jestArguments } from './jest-arguments.ts';

/**
 * Runs the scenario suites of the whole repository against the real programs, which it gets first. Arguments
 * are passed on to jest: `npm run test:real -- apps/pvc-protection -t "deleted claim"`.
 *
 * If the programs are not available, all these suites count as skipped, and the exit code is jest's, 0. A CI
 * job that must not pass in that case sets HOLDFAST_REQUIRE_REAL=true.
 */

const root = join(import.meta.dirname, '..', '..', '..');
const reports = join(root, 'reports');

const say = (line: string): void => void process.stderr.write(`test:real: ${line}\n`);

function warn(reason: string): void {
  const rule = '!'.repeat(100);
  const text = [
    'NOTHING WAS TESTED AGAINST A REAL CONTROL PLANE',
    '',
    ...reason.split('\n'),
    '',
    'The scenario suites are counted as skipped. HOLDFAST_REQUIRE_REAL=true makes this a failure.',
  ];
  process.stderr.write(['', rule, ...text.map((line) => `!! ${line}`.trimEnd()), rule, '', ''].join('\n'));
}

/** Runs jest with control planes that begin with the objects that the first of them wrote. */
async function runWithFirstObjects(args: readonly string[]): Promise<number> {
  const kept = await mkdtemp(join(tmpdir(), 'holdfast-first-objects-'));
  const guard = await startOrphanGuard(kept);
  try {
    return await runJest('real', args, { HOLDFAST_FIRST_OBJECTS: kept });
  } finally {
    await guard.dismiss();
    await rm(kept, { recursive: true, force: true });
  }
}

/** @param defaults what jest's environment holds unless the user's says otherwise */
async function runJest(
  controlPlane: 'real' | 'real-missing',
  args: readonly string[],
  defaults: NodeJS.ProcessEnv = {},
): Promise<number> {
  await mkdir(reports, { recursive: true });
  const jest = spawn(
    process.execPath,
    ['node_modules/jest/bin/jest.js', ...jestArguments(args, join(reports, 'test-real.json'))],
    {
      cwd: root,
      stdio: 'inherit',
      env: { GOGC: garbageCollection, ...defaults, ...process.env, HOLDFAST_CONTROL_PLANE: controlPlane },
    },
  );
  // The handlers keep this process alive until jest has ended. The terminal sends Ctrl-C to jest as well, and
  // SIGTERM to this process is meant for both.
  const forward = (signal: NodeJS.Signals): void => void jest.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  try {
    const [code] = (await once(jest, 'close')) as [number | null];
    return code ?? 1;
  } finally {
    process.off('SIGINT', forward).off('SIGTERM', forward);
  }
}

async function findOut(signal: AbortSignal): Promise<{ folder: string } | { reason: string }> {
  try {
    return { folder: await ensureBinaries({ env: process.env, signal, report: say }) };
  } catch (error) {
    signal.throwIfAborted();
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

async function run(args: readonly string[]): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  let binaries: Awaited<ReturnType<typeof findOut>>;
  try {
    binaries = await findOut(interrupted.signal);
  } catch {
    say('stopped before any test ran');
    return 130;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
  if ('folder' in binaries) {
    say(`binaries in ${binaries.folder}`);
    return runWithFirstObjects(args);
  }
  warn(binaries.reason);
  const code = await runJest('real-missing', args);
  warn(binaries.reason);
  return process.env['HOLDFAST_REQUIRE_REAL'] === 'true' ? 1 : code;
}

process.exitCode = await run(process.argv.slice(2));
