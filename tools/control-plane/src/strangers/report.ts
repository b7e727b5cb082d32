/** How the specs of a suite ended. */
export interface SuiteReport {
  /** Full names, of several specs of one name each. */
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

/** Specs that are pending or skipped are neither; a suite's own setup counts as a spec when it fails. */
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

/** The names of which each test passed: several tests may have one name. */
export function passing({ passed, failed }: SuiteReport): ReadonlySet<string> {
  const failing = new Set(failed);
  return new Set(passed.filter((name) => !failing.has(name)));
}

/** How tests of Go without ginkgo ended, by what they print with `-test.v`. Those that have others in them say nothing of their own. */
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
 * What two tries of a suite come to: a spec passes that does in one of them. Nothing is held against a suite whose setup failed at the first try alone, as its
 * specs ran at the second one.
 */
export function afterSecondTry(
  first: SuiteReport,
  second: SuiteReport,
): SuiteReport & {
  /** Passed at the second try alone. */
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
