/** What reviews may take of the process at once, whoever sends them. */
export interface ReviewBudget {
  /** Begins a review; undefined when this many are under way already. */
  begin(): ReviewShare | undefined;
}

/** One review's part of the budget. */
export interface ReviewShare {
  /** Takes memory for a part of the body; false when there is none left, and nothing was taken. */
  take(bytes: number): boolean;
  /** Gives back all. */
  end(): void;
}

/** An API server calls once for each write under way; more than this many at once are no API servers. */
const reviewsAtOnce = 256;
/** Nine bodies of the largest size, or thousands of usual ones. */
const bytesAtOnce = 64 * 1024 * 1024;

/**
 * Without a limit, 120 callers that stall in the middle of a body take a gigabyte (H11). What does not fit is refused by an HTTP status, as a
 * webhook that is down would be, so that its failurePolicy decides.
 */
export function createReviewBudget(): ReviewBudget {
  let reviews = 0;
  let held = 0;
  return {
    begin: () => {
      if (reviews >= reviewsAtOnce) {
        return undefined;
      }
      reviews += 1;
      let own = 0;
      let isOver = false;
      return {
        take: (bytes) => {
          if (held + bytes > bytesAtOnce) {
            return false;
          }
          held += bytes;
          own += bytes;
          return true;
        },
        end: () => {
          if (!isOver) {
            isOver = true;
            reviews -= 1;
            held -= own;
          }
        },
      };
    },
  };
}
