/**
 * Asks once for all callers at the same time.
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
    const begun = ask();
    current = begun;
    const end = (): void => {
      if (current === begun) {
        current = undefined;
      }
    };
    begun.then(end, end);
    return begun;
  };
  return () => {
    if (current === undefined) {
      return begin();
    }
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
}
