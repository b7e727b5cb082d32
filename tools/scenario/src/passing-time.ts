import type { FakeClock } from '@holdfast/testing/fake-clock';

/** How far the clock advances at a time, and how long the machine then gets for its work; milliseconds. */
const stride = 250;
const rest = 5;

/**
 * Lets a fake clock advance by itself, for tests that have to get through back-offs of seconds but do not assert when
 * things happen. It advances by a quarter of a second a turn, some fifty times as fast as real time; on a slow machine
 * it advances more slowly.
 *
 * @returns a function that stops it
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
