import type { FakeClock } from '@holdfast/testing/fake-clock';

/** How far the clock goes on at a time, and how long the machine is left to its work before the next; milliseconds. */
const stride = 100;
const rest = 2;

/**
 * Lets a fake clock go on by itself, for tests in which back-offs of seconds have to pass, but nothing is asserted of when. It
 * goes on some fifty times as fast as the machine's clock, by 100 ms a turn: on a slow machine, time passes slowly too.
 *
 * @returns stops it.
 */
export function letTimePass(clock: Pick<FakeClock, 'advance'>): () => Promise<void> {
  const stop = new AbortController();
  const passing = (async () => {
    while (!stop.signal.aborted) {
      await clock.advance(stride);
      await new Promise((resolve) => setTimeout(resolve, rest));
    }
  })();
  return () => {
    stop.abort();
    return passing;
  };
}
