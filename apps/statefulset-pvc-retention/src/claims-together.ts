/** How many claims of a workload share a live look. Workloads are identified by UID. */
export interface ClaimsTogether {
  /** Returns the current maximum. */
  most(workload: string): number;
  /** Records that a look was recent enough for a write. */
  wasInTime(workload: string): void;
  /** Records that a look at this many claims led to no write. */
  wasInVain(workload: string, claims: number): void;
}

/** The writes for this many claims must not begin long after their look. */
const most = 64;
/** How many consecutive looks in vain might be due to what happens at the moment. */
const chance = 2;
/** How many workloads are remembered; after one is forgotten, a few more looks are in vain. */
const remembered = 1_000;

/**
 * Creates the limits. A look requests the pod of each claim. With a low `--kube-api-qps`, or a slow API
 * server, it is too old for any write before it has ended, and repeating it would always end like this. So
 * after several looks in vain half as many claims share the next one, and one more after each look that was
 * in time.
 */
export function createClaimsTogether(): ClaimsTogether {
  const slow = new Map<string, { readonly together: number; readonly inVain: number }>();
  return {
    most: (workload) => slow.get(workload)?.together ?? most,
    wasInTime: (workload) => {
      const { together, inVain } = slow.get(workload) ?? { together: most, inVain: 0 };
      slow.delete(workload);
      if (together + 1 < most) {
        slow.set(workload, { together: together + 1, inVain });
      }
    },
    wasInVain: (workload, claims) => {
      const { together, inVain } = slow.get(workload) ?? { together: most, inVain: 0 };
      slow.delete(workload);
      slow.set(workload, {
        together: inVain < chance ? together : Math.ceil(Math.min(together, claims) / 2),
        inVain: inVain + 1,
      });
      const [eldest] = slow.keys();
      if (slow.size > remembered && eldest !== undefined) {
        slow.delete(eldest);
      }
    },
  };
}
