/** Limits what all reviews together can take of the process, whoever sends them. */
export interface ReviewBudget {
  /**
   * Begins a review; undefined if too many are already being decided on.
   *
   * @param giveWay called if others need the room while the review's body is still coming. Its share has ended
   *   by then.
   */
  begin(giveWay: () => void): ReviewShare | undefined;
}

/** One review's share of the budget. */
export interface ReviewShare {
  /** Takes memory for a part of the body; false if there is not enough left, and nothing was taken. */
  take(bytes: number): boolean;
  /** The whole body has come: from now on the review does not give way. */
  whole(): void;
  /** Returns everything that the review took. */
  end(): void;
}

/** An API server calls once for each write under way. More calls than this do not come from API servers. */
const reviewsAtOnce = 256;
/** Nine bodies of the largest size, or thousands of usual ones. */
const bytesAtOnce = 64 * 1024 * 1024;

/**
 * Creates the budget. Without a limit, 120 callers that stall in the middle of a body take a gigabyte (H11).
 * The body of an API server comes within moments, so where room is missing, the review gives way whose body has
 * been coming for longest. Otherwise ten callers that stall would shut out the API server. What still exceeds
 * the budget is refused with an HTTP status, like a webhook that is down, so that its failurePolicy decides.
 */
export function createReviewBudget(): ReviewBudget {
  let reviews = 0;
  let held = 0;
  /** The part of it that reviews hold whose bodies have come: they do not give way. */
  let heldForGood = 0;
  /** How to end the reviews whose bodies are still coming, in the order in which they began. */
  const coming = new Set<() => void>();

  /** Ends others until there is room, or none of them is left that gives way. */
  const makeRoom = (isRoom: () => boolean, own?: () => void): void => {
    for (const giveWay of coming) {
      if (isRoom()) {
        break;
      }
      if (giveWay !== own) {
        giveWay();
      }
    }
  };

  return {
    begin: (giveWay) => {
      makeRoom(() => reviews < reviewsAtOnce);
      if (reviews >= reviewsAtOnce) {
        return undefined;
      }
      reviews += 1;
      let own = 0;
      let isOver = false;
      const end = (): void => {
        if (!isOver) {
          isOver = true;
          reviews -= 1;
          held -= own;
          heldForGood -= coming.delete(endEarly) ? 0 : own;
        }
      };
      const endEarly = (): void => {
        end();
        giveWay();
      };
      coming.add(endEarly);
      return {
        take: (bytes) => {
          // Others must not end for a review that does not fit in even without them.
          if (isOver || heldForGood + own + bytes > bytesAtOnce) {
            return false;
          }
          makeRoom(() => held + bytes <= bytesAtOnce, endEarly);
          held += bytes;
          own += bytes;
          return true;
        },
        whole: () => {
          heldForGood += coming.delete(endEarly) ? own : 0;
        },
        end,
      };
    },
  };
}
