import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OrphanGuard, startControlPlane } from '@holdfast/testing';
import { startProgram } from '../e2e/program.ts';
import { readGoTests, readReport, type SuiteReport } from './report.ts';
import { plainTests, type Suite } from './suites.ts';
import type { Backend } from './world.ts';

export interface SuiteRun {
  readonly suite: Suite;
  /** Its program. */
  readonly file: string;
  /** The folder of its package, which contains its test data. */
  readonly folder: string;
  /** The folder of etcd and kube-apiserver for tests that start these themselves. */
  readonly assets: string;
  /** The folder for files that are written. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

const bound = '30m';

/**
 * How long specs wait by default (instead of a second), and for an API server of their own (instead of 20
 * seconds). A Go client keeps an unused connection for a minute and a half. Specs that look for leaks rely on
 * the server to close such connections when it is stopped, which does not happen with an existing cluster.
 */
const patience = {
  GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT: '2m',
  KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '3m',
  KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: '1m',
};

/**
 * Runs a suite on a new control plane, which the tests see as an existing cluster.
 *
 * @throws if the control plane does not start, or the suite ends without a report
 */
export async function runSuite(backend: Backend, run: SuiteRun): Promise<SuiteReport> {
  const { suite, file, folder, assets, scratch, guard } = run;
  const plain = plainTests[suite];
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
      args:
        plain === undefined
          ? [`--ginkgo.json-report=${report}`, `--ginkgo.timeout=${bound}`, '--ginkgo.no-color']
          : [`--test.run=^${plain}$`, '--test.v', `--test.timeout=${bound}`],
      keptOutput: 10_000_000,
      cwd: folder,
      guard,
      env: {
        HOME: scratch,
        KUBECONFIG: kubeconfig,
        USE_EXISTING_CLUSTER: 'true',
        KUBEBUILDER_ASSETS: assets,
        ...patience,
      },
    });
    await program.ended;
    const said =
      plain === undefined
        ? await readFile(report, 'utf8').then(readReport, () => undefined)
        : readGoTests(program.output);
    if (said === undefined || said.passed.length + said.failed.length === 0) {
      const why = `${name} ended with ${program.end ?? 'nothing'} and without a report, and said:`;
      throw new Error(`${why}\n${program.output.slice(-8_000)}`);
    }
    return said;
  } finally {
    await plane.stop();
  }
}
