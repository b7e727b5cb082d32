/**
 * A clock that stands still until the test moves it, so that back-off, rate limits and leases can be tested
 * without waiting. It fits wherever a clock with `now` and `after` is expected, such as that of
 * @holdfast/runtime. All times are in milliseconds.
 */
export interface FakeClock {
  now(): number;
  /** Sets a timer: calls back once, when the clock has moved on by `delay`. */
  after(delay: number, callback: () => void): { cancel(): void };
  /**
   * Moves the clock on by this many milliseconds. Due timers fire in order, and after each of them all
   * promises that can settle do so.
   */
  advance(duration: number): Promise<void>;
  /** The number of timers that have neither fired nor been cancelled. */
  readonly pending: number;
}

/**
 * Creates a clock without timers.
 *
 * @param start the first value of `now`; the number has no meaning of its own. Default 1000.
 */
export function createFakeClock(start = 1_000): FakeClock {
  const timers = new Map<number, { readonly due: number; readonly callback: () => void }>();
  let now = start;
  let made = 0;

  const next = (until: number): readonly [id: number, due: number, callback: () => void] | undefined => {
    let first: readonly [number, number, () => void] | undefined;
    for (const [id, { due, callback }] of timers) {
      if (due <= until && (first === undefined || due < first[1])) {
        first = [id, due, callback];
      }
    }
    return first;
  };

  return {
    now: () => now,
    after: (delay, callback) => {
      const id = made++;
      timers.set(id, { due: now + Math.max(delay, 0), callback });
      return { cancel: () => timers.delete(id) };
    },
    advance: async (duration) => {
      const until = now + duration;
      await settled();
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        const [id, due, callback] = timer;
        timers.delete(id);
        now = due;
        callback();
        await settled();
      }
      now = until;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Resolves when every promise that can settle has settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
