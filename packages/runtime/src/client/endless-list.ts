/** A list whose pages never come to an end was given up. The objects seen by then are not all that there are. */
export class EndlessListError extends Error {
  override readonly name = 'EndlessListError';

  constructor(plural: string, why: string) {
    super(`the list of ${plural} does not end: ${why}; look at what answers for the API server`);
  }
}

/** Watches over the pages of one list. */
export interface ListEnd {
  /**
   * To be called before another page is asked for.
   *
   * @param token of the page that came last.
   * @throws EndlessListError for a token that was given before, which begins a circle, or for one page too many.
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
