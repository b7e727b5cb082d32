/** Counts the events by which the world makes progress, and wakes the waiters for them. */
export interface Activity {
  /** The number of events. Those that depend on time alone, such as the renewal of a Lease, do not count. */
  readonly count: number;
  /** When the last event came, in milliseconds of `performance.now()`. */
  readonly wentOnAt: number;
  /** Counts an event. */
  goOn(): void;
  /** Wakes the waiters without counting an event. */
  stir(): void;
  /** Resolves when it is time to check again, after at most this many milliseconds. */
  next(limit: number): Promise<void>;
}

export function createActivity(): Activity {
  const waiting = new Set<() => void>();
  let count = 0;
  let wentOnAt = performance.now();
  const stir = (): void => {
    for (const wake of waiting) {
      wake();
    }
  };
  return {
    get count() {
      return count;
    },
    get wentOnAt() {
      return wentOnAt;
    },
    stir,
    goOn: () => {
      count += 1;
      wentOnAt = performance.now();
      stir();
    },
    next: (limit) =>
      new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, limit);
        waiting.add(wake);
      }),
  };
}
