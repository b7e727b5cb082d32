/**
 * Asks once for all callers at the same time, and never twice at once.
 *
 * An answer rests on a question that was begun after its caller came: what was so before may be otherwise by then. So a caller that
 * comes while a question is under way gets the answer to the next one, together with all others that come meanwhile.
 *
 * @returns a function that answers as `ask` does, and throws what it throws.
 */
export function askedTogether<T>(ask: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  const begin = (): Promise<T> => {
    next = undefined;
    const end = (): void => {
      current = undefined;
    };
    current = ask();
    current.then(end, end);
    return current;
  };
  return () => {
    // Who asks again on an answer comes after it has ended, and before those who wait for the next have begun theirs.
    if (next === undefined) {
      if (current === undefined) {
        return begin();
      }
      next = current.then(begin, begin);
    }
    return next;
  };
}
