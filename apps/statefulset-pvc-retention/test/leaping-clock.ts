import type { Clock, ClockTimer } from '@holdfast/runtime';
import { createPacedClock } from '@holdfast/scenario';

/**
 * A clock that a test can put forward: what is due by then happens at once. Between leaps it runs four times as fast as
 * the machine's.
 */
export interface LeapingClock extends Clock {
  /** The wall clock beside it, which moves by leaps alone: a test knows every time that is written by it. */
  readonly wallClock: () => Date;
  /** The same for the app's options: the clock of its machine and that of the API server. */
  readonly wallClocks: { readonly now: () => Date; readonly serverTime: () => Date };
  /** Puts both forward by this many milliseconds. */
  leap(duration: number): void;
}

const paced = createPacedClock(4);

export function createLeapingClock(start = Date.parse('2026-01-01T12:00:00Z')): LeapingClock {
  const pending = new Set<{ readonly due: number; readonly callback: () => void; timer: ClockTimer }>();
  let ahead = 0;
  const now = (): number => paced.now() + ahead;
  const arm = (due: number, callback: () => void): ClockTimer =>
    paced.after(Math.max(0, due - now()), callback);
  const wallClock = (): Date => new Date(start + ahead);

  return {
    now,
    after: (delay, callback) => {
      const due = now() + delay;
      const fire = (): void => {
        pending.delete(entry);
        callback();
      };
      const entry = { due, callback: fire, timer: arm(due, fire) };
      pending.add(entry);
      return {
        cancel: () => {
          pending.delete(entry);
          entry.timer.cancel();
        },
      };
    },
    wallClock,
    wallClocks: { now: wallClock, serverTime: wallClock },
    leap: (duration) => {
      ahead += duration;
      for (const entry of pending) {
        entry.timer.cancel();
        entry.timer = arm(entry.due, entry.callback);
      }
    },
  };
}
