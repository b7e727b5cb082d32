/** The fields of jest's report that again.ts reads. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** If more files than this fail, they have a common cause, which is not chance. */
const mostFiles = 3;

/**
 * Returns why a failed run must stay failed without another try; undefined if its failed files may be run
 * again.
 */
export function reasonNotToRepeat(report: Report): string | undefined {
  const failed = report.testResults.filter((each) => each.status === 'failed');
  if (report.numRuntimeErrorTestSuites > 0 || failed.length === 0) {
    return 'a file could not run at all, or the runner itself failed';
  }
  if (failed.length > mostFiles) {
    return `${String(failed.length)} files failed, and ${String(mostFiles)} at the most are repeated`;
  }
  const random = failed
    .flatMap((each) => each.assertionResults)
    .find((each) => each.failureMessages.some((message) => /\bseed\b/i.test(message)));
  return random === undefined ? undefined : `${random.fullName}: random input failed it, its seed is above`;
}
