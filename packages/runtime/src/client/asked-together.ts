/**
 * Shares one run of `ask` among all callers that come at the same time, and never runs it twice at once.
 *
 * A caller must get the result of a run that began after it called, since what was true before might have
 * changed by then. So a caller that comes during a run gets the result of the next one, together with all
 * others that come meanwhile.
 *
 * @returns a function that returns what `ask` returns, and throws what it throws.
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
    // A caller that reacts to a result by asking again comes after that run has ended, and before the next
    // one has begun.
    if (next === undefined) {
      if (current === undefined) {
        return begin();
      }
      next = current.then(begin, begin);
    }
    return next;
  };
}
