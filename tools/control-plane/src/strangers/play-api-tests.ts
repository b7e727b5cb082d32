import { type ApiTests, apiTests } from './api-tests.ts';
import { knownDifferences } from './compare.ts';
import { judge } from './judge.ts';
import type { PartResult } from './parts.ts';
import { type ApiTestRun, runApiTests } from './run-api-tests.ts';
import { withSecondTry } from './second-try.ts';
import { type Backend, type Controllers, nameOf } from './world.ts';

const heading = "### What Kubernetes' own tests find otherwise";

/** How many of the tests that tolerate concurrent ones run at the same time. */
const width = 3;

/** Plays Kubernetes' own API tests on both servers. */
export async function playApiTests(
  places: Omit<ApiTestRun, 'names' | 'controllers' | 'width'>,
  readme: string,
  say: (line: string) => void,
  tests: ApiTests = apiTests,
): Promise<PartResult> {
  const known = knownDifferences(readme, heading);
  let passed = 0;
  const failures: string[] = known
    .filter((name) => !Object.values(tests).some((names) => names.includes(name)))
    .map((name) => `in the README, and not run: ${name}`);
  const notes: string[] = [];
  const note = (line: string): void => void notes.push(line);
  for (const [controllers, names] of Object.entries(tests) as [Controllers, readonly string[]][]) {
    const play = async (backend: Backend, chosen: readonly string[], beside: number): Promise<Outcome> => {
      if (chosen.length === 0) {
        return { passing: new Set(), lost: [] };
      }
      const title = `${chosen.length} tests with ${controllers} on ${nameOf(backend)}`;
      const run = { ...places, controllers, names: chosen, width: beside };
      const { passed: passing, lost } = await withSecondTry(title, () => runApiTests(backend, run), note);
      say(`${title}: ${passing.length} passed`);
      return { passing: new Set(passing), lost };
    };
    const first = await together(play('embedded', names, width), play('real', names, width));
    notes.push(...[...first.embedded.lost, ...first.real.lost].map((why) => `tried again: ${why}`));
    // A test that waited too long while others ran gets another chance, alone. If it fails again, lack of
    // time was not the reason.
    const again = async (backend: Backend): Promise<ReadonlySet<string>> => {
      const { passing } = first[backend];
      const failed = names.filter(
        (name) => !passing.has(name) && !(backend === 'embedded' && known.includes(name)),
      );
      const second = await play(backend, failed, 1);
      failures.push(...second.lost);
      notes.push(
        ...[...second.passing].map((name) => `passed on ${nameOf(backend)} at the second try: ${name}`),
      );
      return new Set([...passing, ...second.passing]);
    };
    const embedded = await again('embedded');
    const real = await again('real');
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

interface Outcome {
  readonly passing: ReadonlySet<string>;
  /** Why tests have no result. */
  readonly lost: readonly string[];
}

/** Waits for both to end, so that an error of one of them leaves nothing of the other running. */
async function together(
  embedded: Promise<Outcome>,
  real: Promise<Outcome>,
): Promise<Readonly<Record<Backend, Outcome>>> {
  await Promise.allSettled([embedded, real]);
  return { embedded: await embedded, real: await real };
}
