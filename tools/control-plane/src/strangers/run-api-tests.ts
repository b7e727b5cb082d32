import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrphanGuard } from '@holdfast/testing';
import { startProgram } from '../e2e/program.ts';
import { readReport, type SuiteReport } from './report.ts';
import { type Backend, type Controllers, type StrangersWorld, startStrangersWorld } from './world.ts';

export interface ApiTestRun {
  /** Full names as ginkgo reports them. */
  readonly names: readonly string[];
  readonly controllers: Controllers;
  /** How many of the tests that tolerate concurrent ones run at the same time. */
  readonly width: number;
  /** The program of the tests. */
  readonly file: string;
  readonly kubectl: string;
  /** The folder of kube-controller-manager. */
  readonly assets: string;
  /** The folder for files that are written. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

/**
 * Longer than any of these tests takes on a busy machine. A test that waits in vain would take even longer.
 */
const limit = '4m';
const limitOfAll = '3h';

export interface ApiTestReport extends SuiteReport {
  /** Why tests are missing in the report, which counts as failed. */
  readonly lost: readonly string[];
}

/**
 * Runs tests on a new cluster.
 *
 * @throws if the cluster does not start or stop
 */
export async function runApiTests(backend: Backend, run: ApiTestRun): Promise<ApiTestReport> {
  const { names, controllers, width, assets, guard } = run;
  const scratch = await mkdtemp(join(run.scratch, `api-tests-${backend}-`));
  const world = await startStrangersWorld({ backend, controllers, assets, scratch, guard });
  const play = (part: readonly string[]): Promise<ApiTestReport> =>
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
      lost: reports.flatMap(({ lost }) => lost),
    };
  } finally {
    await world.stop();
  }
}

/** Runs tests in one process, one after the other. */
async function runProcess(
  names: readonly string[],
  { file, kubectl, scratch, guard }: ApiTestRun,
  { kubeconfigFile }: StrangersWorld,
): Promise<ApiTestReport> {
  if (names.length === 0) {
    return { passed: [], failed: [], lost: [] };
  }
  const home = await mkdtemp(join(scratch, 'process-'));
  const report = join(home, 'report.json');
  const program = await startProgram({
    name: 'api-tests',
    file,
    args: [
      `--kubeconfig=${kubeconfigFile}`,
      `--kubectl-path=${kubectl}`,
      // Ginkgo matches the pattern against the description of the suite together with the name.
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
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) {
    const why = `api-tests ended with ${program.end ?? 'nothing'} and without a report on ${names.length} tests, and said:`;
    return { passed: [], failed: names, lost: [`${why}\n${program.output}`] };
  }
  const { passed, failed } = readReport(text);
  const ran = new Set([...passed, ...failed]);
  return { passed, failed: [...failed, ...names.filter((name) => !ran.has(name))], lost: [] };
}

/** Escapes a text for a Go regular expression. */
function literally(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
