import type { Clock, ClockTimer } from '../time/clock.ts';

/** Limits how long the server can be silent within one response. */
export interface SilenceLimit {
  /** Something arrived: the limit starts over. */
  heard(): void;
  /** The response has ended, or nobody waits for it any more. */
  lift(): void;
}

/**
 * Calls back once if nothing was heard for the limit, in milliseconds; 0 means never.
 *
 * Holdfast has its own limit because undici's timeouts are up to a second late, and know only the machine's
 * clock. Hearing something costs no timer: a new one is set only when the previous one has run out.
 */
export function limitSilence(clock: Clock, limit: number, onSilence: () => void): SilenceLimit {
  let last = clock.now();
  let timer: ClockTimer | undefined;
  const wait = (delay: number): void => {
    timer = clock.after(delay, () => {
      const left = last + limit - clock.now();
      if (left > 0) {
        wait(left);
      } else {
        onSilence();
      }
    });
  };
  if (limit > 0) {
    wait(limit);
  }
  return {
    heard: () => {
      last = clock.now();
    },
    lift: () => timer?.cancel(),
  };
}
