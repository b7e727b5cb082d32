import type { FakeClock } from '@holdfast/testing/fake-clock';

/** How far the clock goes on in one turn of the event loop, milliseconds. */
const stride = 50;

/**
 * Lets a fake clock go on by itself, for tests in which back-offs of seconds have to pass, but nothing is asserted of when. It
 * goes on by 50 ms a turn, some fifty times as fast as the machine's clock: on a slow machine, time passes slowly too.
 *
 * @returns stops it.
 */
export function letTimePass(clock: Pick<FakeClock, 'advance'>): () => Promise<void> {
  const stop = new AbortController();
  const passing = (async () => {
    while (!stop.signal.aborted) {
      await clock.advance(stride);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  return () => {
    stop.abort();
    return passing;
  };
}
