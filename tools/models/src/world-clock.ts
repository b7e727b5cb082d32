import type { Clock } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';

/**
 * The only clock of a world: for the API server, the stand-ins and the controllers. It advances by itself,
 * and leaps when told to.
 */
export interface WorldClock extends Clock {
  readonly date: () => Date;
  /**
   * Advances the clock by this many milliseconds, and resolves when that is done. Timers in between fire in
   * order.
   */
  leap(duration: number): Promise<void>;
  stop(): Promise<void>;
}

/** The clock advances by 100 ms for every 2 ms of real time, or more slowly on a slow machine. */
const stride = 100;
const rest = 2;

export function createWorldClock(start = Date.UTC(2030, 0, 1)): WorldClock {
  const clock = createFakeClock(start);
  const stopping = new AbortController();
  const leaps: { readonly duration: number; readonly done: () => void }[] = [];
  // Only one loop may advance the clock: two at once would set it back.
  const passing = (async () => {
    while (!stopping.signal.aborted) {
      const leap = leaps.shift();
      await clock.advance(leap?.duration ?? stride);
      leap?.done();
      await new Promise((resolve) => setTimeout(resolve, rest));
    }
    leaps.forEach(({ done }) => done());
  })();
  return {
    now: clock.now,
    after: clock.after,
    date: () => new Date(clock.now()),
    leap: (duration) => new Promise((done) => leaps.push({ duration, done })),
    stop: () => {
      stopping.abort();
      return passing;
    },
  };
}
