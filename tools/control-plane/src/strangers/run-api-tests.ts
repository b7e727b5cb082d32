import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrphanGuard } from '@holdfast/testing';
import { startProgram } from '../e2e/program.ts';
import { readReport, type SuiteReport } from './report.ts';
import { type Backend, type Controllers, type StrangersWorld, startStrangersWorld } from './world.ts';

export interface ApiTestRun {
  /** Full names, as ginkgo reports them. */
  readonly names: readonly string[];
  readonly controllers: Controllers;
  /** The program of the tests. */
  readonly file: string;
  readonly kubectl: string;
  /** Of kube-controller-manager. */
  readonly assets: string;
  /** For what is written. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

/** Longer than any of them takes on a machine that has other work too. Those that wait in vain would wait for minutes each. */
const limit = '90s';
const limitOfAll = '60m';

/** How many tests of those that can bear others beside them run at once. */
const width = 3;

/**
 * Runs tests on a cluster of their own.
 *
 * @throws when the cluster does not start, or the program ends without a report
 */
export async function runApiTests(backend: Backend, run: ApiTestRun): Promise<SuiteReport> {
  const { names, controllers, assets, guard } = run;
  if (names.length === 0) {
    return { passed: [], failed: [] };
  }
  const scratch = await mkdtemp(join(run.scratch, `api-tests-${backend}-`));
  const world = await startStrangersWorld({ backend, controllers, assets, scratch, guard });
  const play = (part: readonly string[]): Promise<SuiteReport> =>
    runProcess(part, { ...run, scratch }, world);
  try {
    const alone = names.filter((name) => name.includes('[Serial]'));
    const others = names.filter((name) => !alone.includes(name));
    const parts = Array.from({ length: width }, (_, at) =>
      others.filter((_name, index) => index % width === at),
    );
    const reports = [...(await Promise.all(parts.map(play))), await play(alone)];
    return {
      passed: reports.flatMap(({ passed }) => passed),
      failed: reports.flatMap(({ failed }) => failed),
    };
  } finally {
    await world.stop();
  }
}

/** Runs tests in a process, one after the other. A test that is not reported on has failed. */
async function runProcess(
  names: readonly string[],
  { file, kubectl, scratch, guard }: ApiTestRun,
  { kubeconfigFile }: StrangersWorld,
): Promise<SuiteReport> {
  if (names.length === 0) {
    return { passed: [], failed: [] };
  }
  const home = await mkdtemp(join(scratch, 'process-'));
  const report = join(home, 'report.json');
  const program = await startProgram({
    name: 'api-tests',
    file,
    args: [
      `--kubeconfig=${kubeconfigFile}`,
      `--kubectl-path=${kubectl}`,
      // Ginkgo matches the description of the suite with the names.
      `--ginkgo.focus=^Kubernetes e2e suite (${names.map(literally).join('|')})$`,
      `--ginkgo.timeout=${limitOfAll}`,
      '--ginkgo.grace-period=10s',
      `--test-timeout=${limit}`,
      `--ginkgo.json-report=${report}`,
      '--ginkgo.no-color',
    ],
    cwd: home,
    guard,
  });
  await program.ended;
  const text = await readFile(report, 'utf8').catch((error: unknown) => {
    const why = `api-tests ended with ${program.end ?? 'nothing'} and without a report, and said:`;
    throw new Error(`${why}\n${program.output}`, { cause: error });
  });
  const { passed, failed } = readReport(text);
  const ran = new Set([...passed, ...failed]);
  return { passed, failed: [...failed, ...names.filter((name) => !ran.has(name))] };
}

/** As a part of a regular expression of Go. */
function literally(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
