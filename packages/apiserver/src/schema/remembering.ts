/** When the cache has this many results, all are dropped. */
const capacity = 1_000;
/** Longer texts rarely repeat, and keeping them would cost more than computing them again. */
const longest = 64;

/** Caches the results of a pure function of a text. Undefined results are not cached. */
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
