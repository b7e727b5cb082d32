import type { Clock, ClockTimer } from '../time/clock.ts';

/** A limit on how long the server is silent within one response. */
export interface SilenceLimit {
  /** Something came: the limit counts from now on again. */
  heard(): void;
  /** The response has ended, or nobody waits for it any more. */
  lift(): void;
}

/**
 * Calls back once, when nothing was heard for the limit, in milliseconds; 0: never.
 *
 * Ours because undici's own timeouts come up to a second late, and know only the machine's clock. Hearing something costs no timer:
 * a new one is set only when the one before has run out.
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
