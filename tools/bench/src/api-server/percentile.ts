/** The least value that so many percent of all do not exceed (nearest rank). @throws RangeError of none */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) {
    throw new RangeError('there is no percentile of no values');
  }
  return value;
}
