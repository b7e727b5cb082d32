/** How the specs of a suite ended. */
export interface SuiteReport {
  /** Full names; if several specs have the same name, it appears once for each. */
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

/** The parts of ginkgo's JSON report that are read here. */
interface Report {
  readonly SpecReports:
    | readonly {
        readonly ContainerHierarchyTexts: readonly string[] | null;
        readonly LeafNodeType: string;
        readonly LeafNodeText: string;
        readonly State: string;
      }[]
    | null;
}

/** Pending and skipped specs are left out. The suite's own setup counts as a spec if it fails. */
export function readReport(text: string): SuiteReport {
  const specs = (JSON.parse(text) as readonly Report[]).flatMap(({ SpecReports }) =>
    (SpecReports ?? []).map((spec) => ({
      name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText || spec.LeafNodeType].join(' '),
      state: spec.State,
      isSpec: spec.LeafNodeType === 'It',
    })),
  );
  return {
    passed: specs.filter(({ state, isSpec }) => isSpec && state === 'passed').map(({ name }) => name),
    failed: specs
      .filter(({ state }) => state !== 'passed' && state !== 'pending' && state !== 'skipped')
      .map(({ name }) => name),
  };
}

/** Returns the names under which every test passed, because several tests may share a name. */
export function passing({ passed, failed }: SuiteReport): ReadonlySet<string> {
  const failing = new Set(failed);
  return new Set(passed.filter((name) => !failing.has(name)));
}

/**
 * Returns how Go tests without ginkgo ended, from what they print with `-test.v`. Tests with subtests are
 * left out.
 */
export function readGoTests(output: string): SuiteReport {
  const tests = [...output.matchAll(/^ *--- (PASS|FAIL): (.+) \(\d+\.\d+s\)$/gm)].map(
    ([, state, name = '']) => ({ state, name }),
  );
  const single = tests.filter(({ name }) => !tests.some((other) => other.name.startsWith(`${name}/`)));
  const namesOf = (wanted: string): readonly string[] =>
    single.filter(({ state }) => state === wanted).map(({ name }) => name);
  return { passed: namesOf('PASS'), failed: namesOf('FAIL') };
}

/**
 * Combines two tries of a suite: a spec passes if it passes in one of them. If the suite's setup failed only
 * in the first try, that is ignored, because the specs ran in the second one.
 */
export function afterSecondTry(
  first: SuiteReport,
  second: SuiteReport,
): SuiteReport & {
  /** The specs that passed only in the second try. */
  readonly late: readonly string[];
} {
  const [early, then] = [passing(first), passing(second)];
  const late = [...then].filter((name) => !early.has(name));
  return {
    passed: [
      ...first.passed.filter((name) => early.has(name)),
      ...second.passed.filter((name) => late.includes(name)),
    ],
    failed: second.failed.filter((name) => !early.has(name)),
    late,
  };
}
