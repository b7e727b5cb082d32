/**
 * Wraps the comparison so that it remembers its last result, for two handlers of one change that both need
 * it.
 *
 * @param compare two objects, which are never changed in place.
 */
export function ofLastPair<T>(compare: (before: T, after: T) => boolean): typeof compare {
  let last: readonly [before: T | undefined, after: T | undefined] = [undefined, undefined];
  let answer = false;
  return (before, after) => {
    if (last[0] !== before || last[1] !== after) {
      answer = compare(before, after);
      last = [before, after];
    }
    return answer;
  };
}
