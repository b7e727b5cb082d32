import { type ApiTests, apiTests } from './api-tests.ts';
import { knownDifferences } from './compare.ts';
import type { PartResult } from './parts.ts';
import type { SuiteReport } from './report.ts';
import { type ApiTestRun, runApiTests } from './run-api-tests.ts';
import type { Backend, Controllers } from './world.ts';

const heading = "### What Kubernetes' own tests find otherwise";

/** How tests ended on both. */
export interface Outcomes {
  readonly names: readonly string[];
  /** Those that passed. */
  readonly embedded: ReadonlySet<string>;
  readonly real: ReadonlySet<string>;
}

/**
 * A test that passes on the real control plane alone is a failure, but for those that are known; one that is known and passes is a failure too, so that
 * the README stays true.
 */
export function judge(
  { names, embedded, real }: Outcomes,
  known: readonly string[],
): Pick<PartResult, 'failures' | 'notes'> {
  const failures: string[] = [];
  const notes: string[] = [];
  for (const name of names) {
    if (!real.has(name)) {
      notes.push(`does not pass on the real one, so it says nothing: ${name}`);
    } else if (embedded.has(name) === known.includes(name)) {
      failures.push(
        embedded.has(name)
          ? `in the README, and passes: ${name}`
          : `fails on the embedded server alone, and is not in the README: ${name}`,
      );
    }
  }
  return { failures, notes };
}

/** Kubernetes' own API tests, on both. */
export async function playApiTests(
  places: Omit<ApiTestRun, 'names' | 'controllers'>,
  readme: string,
  tests: ApiTests = apiTests,
): Promise<PartResult> {
  const known = knownDifferences(readme, heading);
  let passed = 0;
  const failures: string[] = known
    .filter((name) => !Object.values(tests).some((names) => names.includes(name)))
    .map((name) => `in the README, and not run: ${name}`);
  const notes: string[] = [];
  for (const [controllers, names] of Object.entries(tests) as [Controllers, readonly string[]][]) {
    const passing = async (backend: Backend): Promise<ReadonlySet<string>> => {
      const run = { ...places, controllers };
      const first = await runApiTests(backend, { ...run, names });
      // Who waited too long beside others gets another chance; what fails again is not for want of time.
      const failed = first.failed.filter((name) => names.includes(name) && !known.includes(name));
      const again: SuiteReport = await runApiTests(backend, { ...run, names: failed });
      return new Set([...first.passed, ...again.passed]);
    };
    const [embedded, real] = await Promise.all([passing('embedded'), passing('real')]);
    const judged = judge({ names, embedded, real }, known);
    passed += embedded.size;
    notes.push(
      `with ${controllers}: ${names.length} tests, ${embedded.size} pass on the embedded server, ${real.size} on the real one`,
      ...judged.notes,
    );
    failures.push(...judged.failures);
  }
  return { passed, failures, notes };
}
