/**
 * The comparison, which remembers its last answer: for two handlers of one change that both rest on it.
 *
 * @param compare two objects, which are not changed in place.
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
