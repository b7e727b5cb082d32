import type { Clock } from '../time/clock.ts';

/** Estimates the API server's clock from the `Date` header of its responses. */
export interface ServerTime {
  /** Records the `Date` of a response that has begun. */
  note(date: string): void;
  /** See `ApiClient.serverTime`. */
  now(): Date | undefined;
}

/** Keeps the time of the newest response, and advances it by a monotonic clock. */
export function createServerTime(clock: Pick<Clock, 'now'>): ServerTime {
  /** The server's time minus ours, in milliseconds. */
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
