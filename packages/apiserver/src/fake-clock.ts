/**
 * A clock that stands still until the test moves it, so that back-off, rate limits and leases are tested without waiting.
 * It serves wherever a clock is asked for that has `now` and `after`, as @holdfast/runtime's has. Milliseconds throughout.
 */
export interface FakeClock {
  now(): number;
  /** Calls back once, when the clock has moved on by `delay`. */
  after(delay: number, callback: () => void): { cancel(): void };
  /** Moves on by this many milliseconds: due timers fire in their order, and after each all promises run. */
  advance(duration: number): Promise<void>;
  /** Timers that have neither fired nor been cancelled. */
  readonly pending: number;
}

/**
 * A clock that no timer waits on yet.
 *
 * @param start what `now` answers first; it has no meaning of its own. Default 1000.
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

/** Resolves when every promise that could go on has gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
