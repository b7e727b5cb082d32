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

/** What passes on the real server and not here. */
export function differencesOf(embedded: SuiteReport, real: SuiteReport): readonly string[] {
  const failing = new Set(real.failed);
  return embedded.failed.filter((name) => !failing.has(name));
}
