import { seededRandom } from '@holdfast/apiserver';
import type { Perturbation } from './perturbation.ts';

/** A scenario with its perturbations, each with its number in reports. */
export interface Numbered {
  readonly name: string;
  readonly all: readonly (readonly [number, Perturbation])[];
}

/** Two perturbations that are played in the same run, and their numbers. */
export interface Pair {
  readonly numbers: readonly number[];
  readonly perturbations: readonly Perturbation[];
}

/**
 * Returns random pairs of perturbations of the same scenario, grouped by scenario. The same seed and the same
 * places yield the same pairs. Scenarios with more perturbations are chosen more often.
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
