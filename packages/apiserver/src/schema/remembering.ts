/** Results kept before all are forgotten. */
const capacity = 1_000;
/** Longer texts come once; keeping them would cost more than reading them. */
const longest = 64;

/** The same pure function of a text, which is not run again for a text that it was given lately; undefined is not kept. */
export function remembering<Result>(
  compute: (text: string) => Result | undefined,
): (text: string) => Result | undefined {
  const known = new Map<string, Result>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) {
      return before;
    }
    const result = compute(text);
    if (result === undefined || text.length > longest) {
      return result;
    }
    if (known.size >= capacity) {
      known.clear();
    }
    known.set(text, result);
    return result;
  };
}
