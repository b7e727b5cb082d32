/**
 * Thrown when a list is given up because its pages do not end. The objects seen by then are not all that
 * exist.
 */
export class EndlessListError extends Error {
  override readonly name = 'EndlessListError';

  constructor(plural: string, why: string) {
    super(`the list of ${plural} does not end: ${why}; look at what answers for the API server`);
  }
}

/** Watches over the pages of one list. */
export interface ListEnd {
  /**
   * Must be called before the next page is requested.
   *
   * @param token of the last page.
   * @throws EndlessListError for a repeated token, which begins a cycle, or for too many pages.
   */
  next(token: string): void;
}

/** @param mostPages of the whole list. */
export function watchForEnd(plural: string, mostPages: number): ListEnd {
  const tokens = new Set<string>();
  return {
    next: (token) => {
      if (tokens.has(token)) {
        throw new EndlessListError(plural, `page ${String(tokens.size + 1)} goes on where another did`);
      }
      tokens.add(token);
      if (tokens.size >= mostPages) {
        throw new EndlessListError(plural, `${String(mostPages)} pages have come`);
      }
    },
  };
}
