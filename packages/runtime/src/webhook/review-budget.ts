/** Limits what all reviews together can take of the process, whoever sends them. */
export interface ReviewBudget {
  /** Begins a review; undefined if too many are already under way. */
  begin(): ReviewShare | undefined;
}

/** One review's share of the budget. */
export interface ReviewShare {
  /** Takes memory for a part of the body; false if there is not enough left, and nothing was taken. */
  take(bytes: number): boolean;
  /** Returns everything that the review took. */
  end(): void;
}

/** An API server calls once for each write under way. More calls than this do not come from API servers. */
const reviewsAtOnce = 256;
/** Nine bodies of the largest size, or thousands of usual ones. */
const bytesAtOnce = 64 * 1024 * 1024;

/**
 * Creates the budget. Without a limit, 120 callers that stall in the middle of a body take a gigabyte (H11).
 * What exceeds it is refused with an HTTP status, like a webhook that is down, so that its failurePolicy
 * decides.
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
