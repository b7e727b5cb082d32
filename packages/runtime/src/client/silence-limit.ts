import type { Clock, ClockTimer } from '../time/clock.ts';

/** How long a server may be silent within one response. */
export interface SilenceLimit {
  /** Something came: the silence begins anew. */
  heard(): void;
  /** The response is over, or of no interest any more. */
  lift(): void;
}

/**
 * Calls back once, when nothing was heard for the limit, in milliseconds; 0: never.
 *
 * Ours because undici's own timeouts come up to a second late, and no clock but the machine's moves them. What is heard often
 * costs no timer: one is set anew only when the one before has run out.
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
