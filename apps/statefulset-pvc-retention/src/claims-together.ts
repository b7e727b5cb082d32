/** How many claims of a workload share a live look. */
export interface ClaimsTogether {
  /** At the most, now. */
  readonly most: number;
  /** A look was young enough for a write. */
  wasInTime(): void;
  /** A look at this many claims came to no write. */
  wasInVain(claims: number): void;
}

/** The writes for this many must not begin long after their look. */
const most = 64;

/**
 * A look asks for the pod of each claim. By a low `--kube-api-qps`, or an API server that is slow, it is then too old for any write before it has ended, and the same
 * look again would end so for ever. So half as many claims share the next one, and one more after each that was in time.
 */
export function createClaimsTogether(): ClaimsTogether {
  let together = most;
  return {
    get most() {
      return together;
    },
    wasInTime: () => {
      together = Math.min(together + 1, most);
    },
    wasInVain: (claims) => {
      // With one claim alone the rate is not what it was too old for.
      if (claims > 1) {
        together = Math.ceil(together / 2);
      }
    },
  };
}
