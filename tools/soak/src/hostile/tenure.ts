/** A write of a lease that took effect. Times in milliseconds since 1970, by the API server's clock. */
export interface LeaseWrite {
  /** Who sent it, by its user. */
  readonly replica: string;
  /** `spec.holderIdentity` as the write left it; empty: released. */
  readonly holder: string;
  /** `spec.leaseDurationSeconds`, in milliseconds. */
  readonly duration: number;
  readonly receivedAt: number;
  /** resourceVersion: the order in which etcd took the writes. */
  readonly version: number;
}

/** Any other write of a replica, whatever was answered. */
export interface Act {
  readonly replica: string;
  /** For the report. */
  readonly what: string;
  /** When it left the replica. */
  readonly sentAt: number;
  /** When the API server received it. */
  readonly receivedAt: number;
}

/** The time for which one process holds a lease. */
export interface Tenure {
  readonly replica: string;
  readonly holder: string;
  readonly from: number;
  /** Of its last write that kept the lease. */
  readonly renewedAt: number;
  /** When it ended, or at the latest would have. */
  readonly until: number;
  readonly end: 'released' | 'ran out';
}

/** What the writes of a lease show. */
export interface LeaseHistory {
  readonly tenures: readonly Tenure[];
  /** Takeovers of a lease that had neither run out nor been released, each in a line. */
  readonly stolen: readonly string[];
}

/** @param writes of one lease, in any order. */
export function tenuresOf(writes: readonly LeaseWrite[]): LeaseHistory {
  const tenures: Tenure[] = [];
  const stolen: string[] = [];
  let current: Tenure | undefined;
  for (const write of writes.toSorted((a, b) => a.version - b.version)) {
    const { replica, holder, receivedAt, duration } = write;
    if (holder === '') {
      if (current !== undefined) {
        tenures.push({ ...current, until: Math.min(current.until, receivedAt), end: 'released' });
      }
      current = undefined;
    } else if (current?.holder === holder) {
      current = { ...current, renewedAt: receivedAt, until: receivedAt + duration };
    } else {
      if (current !== undefined) {
        tenures.push(current);
        if (receivedAt < current.until) {
          stolen.push(
            `${replica} took the lease ${String(current.until - receivedAt)} ms before that of ${current.replica} ran out`,
          );
        }
      }
      current = {
        replica,
        holder,
        from: receivedAt,
        renewedAt: receivedAt,
        until: receivedAt + duration,
        end: 'ran out',
      };
    }
  }
  return { tenures: current === undefined ? tenures : [...tenures, current], stolen };
}

/** How the acts of an app's replicas stand to the tenures of its lease. */
export interface ActsJudged {
  readonly acts: number;
  /** Sent while the replica held no lease, each in a line. */
  readonly unlawful: readonly string[];
  /** Sent within the tenure and received after it, because the way was blocked. */
  readonly late: readonly string[];
}

/** Timestamps of the proxy and of the API server, on one machine, are compared to within this, milliseconds. */
const clockDoubt = 5;

/**
 * Judges each write by the moment it was sent, which must lie in a tenure of its replica. A tenure ends without any tolerance: a replica that follows
 * the rules stops five seconds before its lease runs out, and before it releases it.
 */
export function judgeActs(acts: readonly Act[], tenures: readonly Tenure[]): ActsJudged {
  const unlawful: string[] = [];
  const late: string[] = [];
  for (const { replica, what, sentAt, receivedAt } of acts) {
    const last = tenures
      .filter((tenure) => tenure.replica === replica && tenure.from <= sentAt + clockDoubt)
      .at(-1);
    if (last === undefined) {
      unlawful.push(`${replica}: ${what}, before it ever led`);
    } else if (sentAt > last.until) {
      unlawful.push(`${replica}: ${what}, sent ${String(sentAt - last.until)} ms after its lease ended`);
    } else if (receivedAt > last.until) {
      late.push(`${replica}: ${what}, received ${String(receivedAt - last.until)} ms after its lease ended`);
    }
  }
  return { acts: acts.length, unlawful, late };
}

/** Milliseconds in which nobody renewed or took the lease, at the most: the last of one tenure to the first of the next. */
export function longestGap(tenures: readonly Tenure[]): number {
  return Math.max(
    0,
    ...tenures.slice(1).map((next, index) => {
      const before = tenures[index];
      return before === undefined
        ? 0
        : next.from - (before.end === 'released' ? before.until : before.renewedAt);
    }),
  );
}
