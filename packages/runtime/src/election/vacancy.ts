import { parseTimestamp, pointer, testAbsent, type JsonPatch, type Lease } from '@holdfast/core';

/**
 * How long nobody must have renewed a lease before that is more than a change of leaders, in milliseconds. A
 * standby takes over within half a minute, and the clocks of two machines can differ.
 */
const longVacancy = 300_000;

/** What the time is, in milliseconds since 1970. */
export interface WallTimes {
  readonly now: number;
  /** The same by the API server's clock; undefined if it is not known. */
  readonly serverNow: number | undefined;
}

/**
 * Returns whether nobody has renewed the lease for long, by the clock that is ahead. Either nobody led for that
 * time, or etcd was restored from a backup that is as old as that; nothing tells the one from the other.
 *
 * @param written what the clocks said when this process wrote the lease as it is; undefined if it did not. Each clock
 *   is then compared with itself, since the two can be minutes apart for good.
 */
export function wasVacantForLong({ spec }: Lease, at: WallTimes, written?: WallTimes): boolean {
  if (written !== undefined) {
    return (
      Math.max(at.now - written.now, (at.serverNow ?? 0) - (written.serverNow ?? Infinity)) > longVacancy
    );
  }
  const { now, serverNow = now } = at;
  const given: unknown = spec?.renewTime;
  // Nothing checks the spec of a lease that a proxy makes up, and such a lease must not keep the program from leading.
  const renewed = typeof given === 'string' ? parseTimestamp(given) : undefined;
  return renewed !== undefined && Math.max(now, serverNow) - renewed > longVacancy;
}

/** Clocks further apart than this many milliseconds are not both near the right time. */
const mostApart = 24 * 3_600_000;

/**
 * Returns the time that counts if somebody leads again now: by the clock that is ahead, since the one that is behind
 * takes time off the hour once it is set right. But one that is years ahead must not hold up everything until then.
 */
export function ledAgainAt({ now, serverNow = now }: WallTimes): number {
  return Math.abs(now - serverNow) < mostApart ? Math.max(now, serverNow) : Math.min(now, serverNow);
}

/** Returns the time in the annotation, in milliseconds since 1970; undefined if there is none. */
export function ledAgainOf({ metadata }: Lease, annotation: string): number | undefined {
  return parseTimestamp(metadata.annotations?.[annotation] ?? '');
}

/**
 * Returns a patch that sets these annotations of the lease, such as that somebody leads again. A leader can end soon,
 * and the next one finds a lease that was just renewed.
 */
export function annotate(
  { metadata: { annotations } }: Lease,
  values: Readonly<Record<string, string>>,
): JsonPatch {
  const entries = Object.entries(values);
  if (entries.length === 0) {
    return [];
  }
  const all = pointer('metadata', 'annotations');
  return annotations === undefined
    ? [testAbsent(all), { op: 'add', path: all, value: values }]
    : entries.map(([name, value]) => ({ op: 'add', path: pointer('metadata', 'annotations', name), value }));
}
