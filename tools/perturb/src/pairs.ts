import type { Perturbation } from '@holdfast/testing/perturbation';

interface Numbered {
  readonly name: string;
  readonly all: readonly (readonly [number, Perturbation])[];
}

interface Pair {
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
  const random = seeded(seed);
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

/** mulberry32. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
