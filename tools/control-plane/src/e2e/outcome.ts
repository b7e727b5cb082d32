/** How a test ended: ginkgo's own states for a test that ran, and what happened to those that did not run. */
export interface Outcome {
  /** `passed`, `failed`, `timedout`, `skipped` and the like; `none` if ginkgo did not report on the test. */
  readonly state: string;
  /** Undefined if the test did not run. */
  readonly seconds: number | undefined;
  /** Why the test did not pass; empty if it did. */
  readonly message: string;
}

/** The parts of ginkgo's JSON report (`--ginkgo.json-report`) that are read here. */
interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
  /** In nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: { readonly Message: string };
}

/**
 * Returns what ginkgo reports about a test.
 *
 * @param report the text of its JSON report
 * @param test the full name
 */
export function outcomeOf(report: string, test: string): Outcome {
  const suites = JSON.parse(report) as readonly { readonly SpecReports: readonly SpecReport[] | null }[];
  const spec = suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .find(
      ({ ContainerHierarchyTexts, LeafNodeText }) =>
        [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ') === test,
    );
  if (spec === undefined) {
    return { state: 'none', seconds: undefined, message: 'e2e has no test of that name' };
  }
  const { State: state, RunTime, Failure } = spec;
  if (state === 'passed') {
    return { state, seconds: RunTime / 1e9, message: '' };
  }
  return { state, seconds: RunTime / 1e9, message: Failure?.Message ?? 'no reason was given' };
}
