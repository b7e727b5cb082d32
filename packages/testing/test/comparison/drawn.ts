import fc from 'fast-check';

/**
 * Returns the values that `fc.assert` would try one after the other, so that `path: String(index)` draws the value at
 * an index again. `fc.sample` draws others from the same seed, from the tenth on.
 */
export function drawn<T>(arbitrary: fc.Arbitrary<T>, { seed, numRuns }: Drawing): readonly T[] {
  const values: T[] = [];
  const keep = fc.property(arbitrary, (value) => {
    values.push(value);
  });
  fc.assert(keep, { seed, numRuns });
  return values;
}

export interface Drawing {
  readonly seed: number;
  readonly numRuns: number;
}
