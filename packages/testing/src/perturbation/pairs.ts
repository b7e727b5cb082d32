import { seededRandom } from '@holdfast/apiserver';
import type { Perturbation } from './perturbation.ts';

/** A scenario with its perturbations, each with the number by which a report names it. */
export interface Numbered {
  readonly name: string;
  readonly all: readonly (readonly [number, Perturbation])[];
}

/** Two perturbations of one run, and their numbers. */
export interface Pair {
  readonly numbers: readonly number[];
  readonly perturbations: readonly Perturbation[];
}

/**
 * Pairs of perturbations of the same scenario, by scenario. The same seed chooses the same pairs of the same places; scenarios with more
 * perturbations are drawn more often.
 */
export function samplePairs(
  scenarios: readonly Numbered[],
  count: number,
  seed: number,
): ReadonlyMap<string, readonly Pair[]> {
  const random = seededRandom(seed);
  const drawn = new Map<string, Pair[]>(scenarios.map(({ name }) => [name, []]));
  const all = scenarios.flatMap((scenario) => scenario.all.map((each) => ({ scenario, each })));
  for (let made = 0; made < count && all.length > 0; made++) {
    const first = all[Math.floor(random() * all.length)];
    if (first === undefined) {
      break;
    }
    const second = first.scenario.all[Math.floor(random() * first.scenario.all.length)] ?? first.each;
    const pair = [first.each, second].toSorted(([a], [b]) => a - b);
    drawn.get(first.scenario.name)?.push({
      numbers: pair.map(([number]) => number),
      perturbations: pair.map(([, perturbation]) => perturbation),
    });
  }
  return drawn;
}
