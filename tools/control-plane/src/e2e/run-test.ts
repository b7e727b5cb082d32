import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrphanGuard } from '@holdfast/testing';
import { startLens, type Lens } from './lens.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import { startProgram } from './program.ts';

export interface TestRun {
  /** The program of the tests. */
  readonly e2e: string;
  readonly kubectl: string;
  /** The kubeconfig of a cluster admin, as text. */
  readonly kubeconfig: string;
  /** The folder that gets a folder for each test, with its log and ginkgo's report. Created if missing. */
  readonly reports: string;
  /** An existing folder for files that are not needed afterwards. */
  readonly scratch: string;
  readonly guard: OrphanGuard;
}

/**
 * Longer than any of the tests takes if its controller works, and shorter than the three minutes for which
 * the tests of sig-storage wait for the deletion of a claim: they do not check whether it was deleted, and
 * would pass anyway.
 */
const limitSeconds = 150;

/**
 * Runs one test in a process of its own, as ginkgo does with tests that run in parallel.
 *
 * @param name its full name
 */
export async function runTest(name: string, run: TestRun, lens?: Lens): Promise<Outcome> {
  const folder = join(run.reports, name.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 150));
  await mkdir(folder, { recursive: true });
  const home = await mkdtemp(join(run.scratch, 'test-'));
  const lensed = lens === undefined ? undefined : await startLens(run.kubeconfig, lens);
  try {
    const kubeconfigFile = join(home, 'kubeconfig');
    await writeFile(kubeconfigFile, lensed?.kubeconfig ?? run.kubeconfig, { mode: 0o600 });
    const report = join(folder, 'report.json');
    const program = await startProgram({
      name: 'e2e',
      file: run.e2e,
      args: [
        `--kubeconfig=${kubeconfigFile}`,
        ...(lensed === undefined ? [] : ['--kube-api-content-type=application/json']),
        `--kubectl-path=${run.kubectl}`,
        // Ginkgo matches the pattern against the description of the suite together with the name.
        `--ginkgo.focus=^Kubernetes e2e suite ${literally(name)}$`,
        `--ginkgo.timeout=${limitSeconds}s`,
        '--ginkgo.grace-period=10s',
        `--ginkgo.json-report=${report}`,
        '--ginkgo.no-color',
        '--ginkgo.v',
      ],
      cwd: home,
      guard: run.guard,
      keptOutput: 1_000_000,
    });
    await program.ended;
    await writeFile(join(folder, 'e2e.log'), program.output);
    const written = await readFile(report, 'utf8').catch(() => undefined);
    if (written === undefined) {
      const message = `e2e ended with ${String(program.end)} and no report, and wrote at last:\n${program.output.slice(-4_000)}`;
      return { state: 'none', seconds: undefined, message };
    }
    return outcomeOf(written, name);
  } finally {
    await lensed?.close();
  }
}

/** Escapes a text for a Go regular expression. */
function literally(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
