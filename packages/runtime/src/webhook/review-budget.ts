/** Limits what the reviews of one webhook can take of the process, whoever sends them. */
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

/**
 * Of one webhook. An API server calls once for each write under way. More calls than this do not come from API
 * servers.
 */
const reviewsAtOnce = 256;
/** Of all webhooks. Nine bodies of the largest size, or thousands of usual ones. */
const bytesAtOnce = 64 * 1024 * 1024;

/**
 * Returns a function that creates the budget of a webhook. Each has its own number of reviews: one whose handler waits
 * for other servers must not shut out one that answers by itself. The memory is the same for all.
 *
 * Without a limit, 120 callers that stall in the middle of a body take a gigabyte (H11).
 * The body of an API server comes within moments, so where room is missing, the review gives way whose body has
 * been coming for longest. Otherwise ten callers that stall would shut out the API server. What still exceeds
 * the budget is refused with an HTTP status, like a webhook that is down, so that its failurePolicy decides.
 */
export function createReviewBudgets(): () => ReviewBudget {
  let held = 0;
  /** The part of it that reviews hold whose bodies have come: they do not give way. */
  let heldForGood = 0;
  /** How to end the reviews whose bodies are still coming, in the order in which they began. */
  const coming = new Set<() => void>();

  return () => {
    let reviews = 0;
    /** Those of this webhook. */
    const ownComing = new Set<() => void>();
    return {
      begin: (giveWay) => {
        makeRoom(ownComing, () => reviews < reviewsAtOnce);
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
            ownComing.delete(endEarly);
            heldForGood -= coming.delete(endEarly) ? 0 : own;
          }
        };
        const endEarly = (): void => {
          end();
          giveWay();
        };
        coming.add(endEarly);
        ownComing.add(endEarly);
        return {
          take: (bytes) => {
            // Others must not end for a review that does not fit in even without them.
            if (isOver || heldForGood + own + bytes > bytesAtOnce) {
              return false;
            }
            makeRoom(coming, () => held + bytes <= bytesAtOnce, endEarly);
            held += bytes;
            own += bytes;
            return true;
          },
          whole: () => {
            ownComing.delete(endEarly);
            heldForGood += coming.delete(endEarly) ? own : 0;
          },
          end,
        };
      },
    };
  };
}

/** Ends these until there is room, or none of them is left that gives way. */
function makeRoom(coming: ReadonlySet<() => void>, isRoom: () => boolean, own?: () => void): void {
  for (const giveWay of coming) {
    if (isRoom()) {
      break;
    }
    if (giveWay !== own) {
      giveWay();
    }
  }
}
