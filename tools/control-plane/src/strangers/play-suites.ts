import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OrphanGuard } from '@holdfast/testing';
import { goEnvironment, goFolderOf } from '../go-build.ts';
import { knownDifferences } from './compare.ts';
import { judge } from './judge.ts';
import type { PartResult } from './parts.ts';
import { type SuiteReport, afterSecondTry, passing } from './report.ts';
import { type SuiteRun, runSuite } from './run-suite.ts';
import { withSecondTry } from './second-try.ts';
import { type Suite, packageOf, programOf, suites } from './suites.ts';
import { type Backend, nameOf } from './world.ts';

const heading = '### What the suites of controller-runtime find otherwise';

export interface SuitePlaces {
  /** The folder of the suites' programs. */
  readonly tests: string;
  /** The folder of etcd and kube-apiserver. */
  readonly assets: string;
  /** The folder for files that are written. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

/** Plays the suites of controller-runtime on both servers. The README lists specs as `suite: name`. */
export async function playSuites(
  chosen: readonly Suite[],
  places: SuitePlaces,
  readme: string,
  say: (line: string) => void,
): Promise<PartResult> {
  const { tests, assets, scratch, guard } = places;
  const known = knownDifferences(readme, heading);
  let passed = 0;
  const failures: string[] = known
    .filter((name) => !suites.some((suite) => name.startsWith(`${suite}: `)))
    .map((name) => `in the README, and of no suite: ${name}`);
  const notes: string[] = [];
  const noPrograms = await mkdtemp(join(scratch, 'no-programs-'));
  for (const suite of chosen) {
    const knownHere = known.filter((name) => name.startsWith(`${suite}: `));
    try {
      const run = {
        suite,
        file: join(tests, programOf(suite)),
        folder: await folderOf(suite),
        scratch,
        guard,
      };
      const note = (line: string): void => void notes.push(line);
      // A spec that starts its own API server proves nothing about the embedded one, so it must not pass.
      const embedded = await playTwice('embedded', { ...run, assets: noPrograms }, knownHere, note);
      const real = await playTwice('real', { ...run, assets }, [], note);
      say(
        `${suite}: ${embedded.passed.length} specs passed on the embedded server, ${real.passed.length} on the real one`,
      );
      passed += embedded.passed.length;
      notes.push(
        `${suite}: ${embedded.passed.length} pass on the embedded server, ${real.passed.length} on the real one`,
      );
      const names = [...new Set([embedded, real].flatMap((report) => [...report.passed, ...report.failed]))];
      const judged = judge({ names, embedded: passing(embedded), real: passing(real) }, knownHere);
      notes.push(...judged.notes);
      failures.push(
        ...judged.failures,
        ...knownHere
          .filter((name) => !names.includes(name))
          .map((name) => `in the README, and not run: ${name}`),
      );
    } catch (error) {
      failures.push(`${suite}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { passed, failures, notes };
}

/**
 * Plays a suite again if a spec fails that is not known to fail: many specs wait for one second or four,
 * however busy the machine is.
 */
async function playTwice(
  backend: Backend,
  run: SuiteRun,
  known: readonly string[],
  note: (line: string) => void,
): Promise<SuiteReport> {
  const play = (): Promise<SuiteReport> =>
    withSecondTry(
      `${run.suite} on ${nameOf(backend)}`,
      async () => withPrefix(await runSuite(backend, run), `${run.suite}: `),
      note,
    );
  const first = await play();
  const failed = first.failed.filter((name) => !known.includes(name));
  if (failed.length === 0) {
    return first;
  }
  const both = afterSecondTry(first, await play());
  both.late.forEach((name) => note(`passed on ${nameOf(backend)} at the second try: ${name}`));
  return both;
}

function withPrefix({ passed, failed }: SuiteReport, prefix: string): SuiteReport {
  const named = (name: string): string => `${prefix}${name}`;
  return { passed: passed.map(named), failed: failed.map(named) };
}

/** Returns the folder with a package's sources, where its tests find their data. */
async function folderOf(suite: Suite): Promise<string> {
  const { stdout } = await promisify(execFile)(
    'go',
    ['list', '-mod=readonly', '-f', '{{.Dir}}', packageOf(suite)],
    { cwd: goFolderOf('controller-runtime'), env: goEnvironment(process.env) },
  );
  return stdout.trim();
}
