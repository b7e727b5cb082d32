import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OrphanGuard, startControlPlane } from '@holdfast/testing';
import { startProgram } from '../e2e/program.ts';
import { readReport, type SuiteReport } from './report.ts';
import type { Suite } from './suites.ts';

export interface SuiteRun {
  readonly suite: Suite;
  /** Its program. */
  readonly file: string;
  /** The folder of its package, with its test data. */
  readonly folder: string;
  /** Of etcd and kube-apiserver, for tests that start their own. */
  readonly assets: string;
  /** For what is written. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

const bound = '10m';

/**
 * Runs a suite on a control plane of its own, which a test finds as a cluster that is there already.
 *
 * @throws when the control plane does not start, or the suite ends without a report
 */
export async function runSuite(backend: 'embedded' | 'real', run: SuiteRun): Promise<SuiteReport> {
  const { suite, file, folder, assets, scratch, guard } = run;
  const name = `${suite.replaceAll('/', '-')}-${backend}`;
  const plane = await startControlPlane({
    backend,
    ...(backend === 'real' ? { release: '1.36' } : undefined),
  });
  try {
    const kubeconfig = join(scratch, `${name}.kubeconfig`);
    const report = join(scratch, `${name}.json`);
    await writeFile(kubeconfig, plane.kubeconfig, { mode: 0o600 });
    const program = await startProgram({
      name,
      file,
      args: [`--ginkgo.json-report=${report}`, `--ginkgo.timeout=${bound}`, '--ginkgo.no-color'],
      cwd: folder,
      guard,
      env: {
        HOME: scratch,
        KUBECONFIG: kubeconfig,
        USE_EXISTING_CLUSTER: 'true',
        KUBEBUILDER_ASSETS: assets,
      },
    });
    await program.ended;
    return await readFile(report, 'utf8').then(readReport, (error: unknown) => {
      const why = `${name} ended with ${program.end ?? 'nothing'} and without a report, and said:`;
      throw new Error(`${why}\n${program.output}`, { cause: error });
    });
  } finally {
    await plane.stop();
  }
}
