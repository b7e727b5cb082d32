import type { Clock } from '../time/clock.ts';

/** What the API server's clock shows, from the `Date` header of its answers. */
export interface ServerTime {
  /** An answer has begun to come. */
  note(date: string): void;
  /** See `ApiClient.serverTime`. */
  now(): Date | undefined;
}

/** Keeps the time of the newest answer, and lets it run on by a monotonic clock. */
export function createServerTime(clock: Pick<Clock, 'now'>): ServerTime {
  /** Server's time less ours, milliseconds. */
  let offset: number | undefined;
  return {
    note: (date) => {
      const time = Date.parse(date);
      if (!Number.isNaN(time)) {
        offset = time - clock.now();
      }
    },
    now: () => (offset === undefined ? undefined : new Date(offset + clock.now())),
  };
}
