/** How many claims of a workload share a live look. Workloads are named by their UID. */
export interface ClaimsTogether {
  /** At the most, now. */
  most(workload: string): number;
  /** A look was young enough for a write. */
  wasInTime(workload: string): void;
  /** A look at this many claims came to no write. */
  wasInVain(workload: string, claims: number): void;
}

/** The writes for this many must not begin long after their look. */
const most = 64;
/** Looks in vain, one after the other, that might be due to what happens at the moment. */
const chance = 2;
/** Workloads that are remembered; of one that is forgotten the looks are in vain a few times more. */
const remembered = 1_000;

/**
 * A look asks for the pod of each claim. By a low `--kube-api-qps`, or an API server that is slow, it is then too old for any write before it has ended, and the same
 * look again would end so for ever. So where several were in vain half as many claims share the next one, and one more after each that was in time.
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
