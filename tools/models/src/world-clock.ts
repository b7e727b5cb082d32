import type { Clock } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';

/** The one clock of a world: of the API server, the stand-ins and the controllers. It goes on by itself, and leaps when asked to. */
export interface WorldClock extends Clock {
  readonly date: () => Date;
  /** Puts it forward by this many milliseconds; resolves when it is done. What is due meanwhile happens in its order. */
  leap(duration: number): Promise<void>;
  stop(): Promise<void>;
}

/** It goes on by 100 ms for every 2 ms of the machine's clock, or by less on a slow machine. */
const stride = 100;
const rest = 2;

export function createWorldClock(start = Date.UTC(2030, 0, 1)): WorldClock {
  const clock = createFakeClock(start);
  const stopping = new AbortController();
  const leaps: { readonly duration: number; readonly done: () => void }[] = [];
  // One hand alone turns the clock: two that advance it at once would turn it back.
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
