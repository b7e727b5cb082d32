import type { Pod } from '@holdfast/core';

/**
 * The recent failures of a Job's pods. Only the controller's memory holds them, as upstream: a new controller
 * begins with none.
 */
export interface Failures {
  /** The number of failures since the last pod that succeeded. */
  readonly count: number;
  /** When the last of them ended, milliseconds since the epoch. */
  readonly last: number;
}

export const noFailures: Failures = { count: 0, last: 0 };

/** Returns the failures including these pods, which have ended since. */
export function withEnded(before: Failures, succeeded: readonly Pod[], failed: readonly Pod[]): Failures {
  const since = Math.max(-Infinity, ...succeeded.map(endOf));
  const ends = failed.map(endOf).filter((end) => end > since);
  const { count, last } = succeeded.length > 0 ? noFailures : before;
  return { count: count + ends.length, last: Math.max(last, ...ends) };
}

const firstBackOff = 10_000;
const longestBackOff = 600_000;

/**
 * Returns the milliseconds until a failed pod is replaced: 10 s after the first failure, twice as long after
 * each further one, and at most ten minutes. 0 if there is nothing to wait for.
 *
 * @param now milliseconds since the epoch
 */
export function backOffLeft({ count, last }: Failures, now: number): number {
  const backOff = count === 0 ? 0 : Math.min(firstBackOff * 2 ** (count - 1), longestBackOff);
  return Math.max(0, last + backOff - now);
}

/**
 * When the pod ended, according to its containers; otherwise, when it stopped being ready, was deleted, or
 * was created.
 */
function endOf({ metadata, status }: Pod): number {
  const finished = (status?.containerStatuses ?? []).map(({ state }) => state?.terminated?.finishedAt);
  const times = finished.flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
  if (times.length > 0 && times.length === finished.length) {
    return Math.max(...times);
  }
  const unready = status?.conditions?.find((each) => each.type === 'Ready' && each.status === 'False');
  if (unready?.lastTransitionTime !== undefined) {
    return Date.parse(unready.lastTransitionTime);
  }
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = metadata;
  return deletionTimestamp === undefined
    ? Date.parse(creationTimestamp ?? '1970-01-01T00:00:00Z')
    : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
}
