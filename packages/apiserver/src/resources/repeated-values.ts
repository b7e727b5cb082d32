/**
 * Returns the indexes of the values that also occur at a lower index. It reads each value once, because a
 * client decides how many there are.
 */
export function repeatedIn(values: Iterable<number | string | undefined>): ReadonlySet<number> {
  const seen = new Set<number | string | undefined>();
  const repeated = new Set<number>();
  let index = 0;
  for (const value of values) {
    if (seen.has(value)) {
      repeated.add(index);
    }
    seen.add(value);
    index += 1;
  }
  return repeated;
}
