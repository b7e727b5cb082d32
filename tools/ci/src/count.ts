import { readFileSync } from 'node:fs';

/**
 * Sums up jest's reports in one line, `N passed, N failed, N skipped`: `node tools/ci/src/count.ts
 * REPORT...`. A suite that could not run at all counts as one failed test. Tests that passed only when they
 * were run again are named above that line. Exits with 1 if a test failed, if a report is missing, or if no
 * test ran.
 */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
  /** Tests that failed in the first run, see again.ts. */
  readonly unsteady?: readonly string[];
}

const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    total.passed += report.numPassedTests;
    total.failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
    total.skipped += report.numPendingTests + report.numTodoTests;
    for (const name of report.unsteady ?? []) {
      process.stdout.write(`UNSTEADY, passed only when run again: ${name}\n`);
    }
  } catch (error) {
    process.stdout.write(
      `count: ${file} can't be read: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    total.failed += 1;
  }
}
process.stdout.write(
  `${String(total.passed)} passed, ${String(total.failed)} failed, ${String(total.skipped)} skipped\n`,
);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
