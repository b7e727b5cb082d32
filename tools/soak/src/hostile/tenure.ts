/** A write of a lease that took effect. Times are in milliseconds since 1970, by the API server's clock. */
export interface LeaseWrite {
  /** The replica that sent it, identified by its user. */
  readonly replica: string;
  /** `spec.holderIdentity` after the write; empty if released. */
  readonly holder: string;
  /** `spec.leaseDurationSeconds`, in milliseconds. */
  readonly duration: number;
  readonly receivedAt: number;
  /** The resourceVersion, which is the order of the writes in etcd. */
  readonly version: number;
}

/** Any other write of a replica, whatever the answer was. */
export interface Act {
  readonly replica: string;
  /** A description for the report. */
  readonly what: string;
  /** When the replica sent it. */
  readonly sentAt: number;
  /** When the API server received it. */
  readonly receivedAt: number;
}

/** The time for which one process holds a lease. */
export interface Tenure {
  readonly replica: string;
  readonly holder: string;
  readonly from: number;
  /** The time of its last write that kept the lease. */
  readonly renewedAt: number;
  /** When the tenure ended, or would have ended at the latest. */
  readonly until: number;
  readonly end: 'released' | 'ran out';
}

/** What the writes of a lease show. */
export interface LeaseHistory {
  readonly tenures: readonly Tenure[];
  /** Takeovers of a lease that had neither expired nor been released, one line each. */
  readonly stolen: readonly string[];
}

/** @param writes the writes of one lease, in any order */
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

/** How the acts of an app's replicas relate to the tenures of its lease. */
export interface ActsJudged {
  readonly acts: number;
  /** Acts that were sent while the replica held no lease, one line each. */
  readonly unlawful: readonly string[];
  /** Acts that were sent within the tenure and received after it, because the connection was blocked. */
  readonly late: readonly string[];
}

/**
 * The precision with which timestamps of the proxy and the API server, on one machine, are compared, in
 * milliseconds.
 */
const clockDoubt = 5;

/**
 * Judges each write by the moment when it was sent, which must be within a tenure of its replica. There is no
 * tolerance at the end of a tenure: a replica that follows the rules stops five seconds before its lease
 * expires, and before it releases the lease.
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

/**
 * Returns the longest time, in milliseconds, in which no replica renewed or took the lease: from the last
 * write of one tenure to the first of the next.
 */
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
