/**
 * Returns the smallest value that is not exceeded by `percent` of all values (nearest rank).
 *
 * @throws RangeError if there are no values
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) {
    throw new RangeError('there is no percentile of no values');
  }
  return value;
}
