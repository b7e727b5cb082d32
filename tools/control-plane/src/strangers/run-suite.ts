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
  /** The folder of its package, with its test data. */
  readonly folder: string;
  /** Where tests that start etcd and kube-apiserver themselves look for them. */
  readonly assets: string;
  /** For what is written. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

const bound = '30m';

/**
 * How long specs wait where they do not say it, instead of a second, and for an API server of their own, instead of 20. A minute and a half is what a client in Go
 * keeps a connection that nobody uses: specs that look for leaks count on the server to end those when it is stopped, which a cluster that is there already is not.
 */
const patience = {
  GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT: '2m',
  KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '3m',
  KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: '1m',
};

/**
 * Runs a suite on a control plane of its own, which a test finds as a cluster that is there already.
 *
 * @throws when the control plane does not start, or the suite ends without a report
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
