import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OrphanGuard } from '@holdfast/testing';
import { goEnvironment, goFolderOf } from '../go-build.ts';
import type { PartResult } from './parts.ts';
import { differencesOf } from './report.ts';
import { runSuite } from './run-suite.ts';
import { type Suite, packageOf, programOf } from './suites.ts';

export interface SuitePlaces {
  /** The folder of the suites' programs. */
  readonly tests: string;
  /** Of etcd and kube-apiserver. */
  readonly assets: string;
  /** For what is written. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

/** The suites of controller-runtime, on both: a spec that passes on the real server alone is a failure. */
export async function playSuites(chosen: readonly Suite[], places: SuitePlaces): Promise<PartResult> {
  const { tests, ...rest } = places;
  let passed = 0;
  const failures: string[] = [];
  const notes: string[] = [];
  for (const suite of chosen) {
    try {
      const run = { suite, file: join(tests, programOf(suite)), folder: await folderOf(suite), ...rest };
      const [embedded, real] = [await runSuite('embedded', run), await runSuite('real', run)];
      passed += embedded.passed.length;
      notes.push(
        `${suite}: ${embedded.passed.length} pass on the embedded server, ${real.passed.length} on the real one`,
      );
      failures.push(
        ...differencesOf(embedded, real).map(
          (name) => `${suite}, fails on the embedded server alone: ${name}`,
        ),
      );
    } catch (error) {
      failures.push(`${suite}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { passed, failures, notes };
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
