/** Counts how the world goes on, and wakes who waits for that. */
export interface Activity {
  /** How often it went on. What is a matter of time alone, as the renewal of a Lease, does not count. */
  readonly count: number;
  /** When it went on last, milliseconds of `performance.now()`. */
  readonly wentOnAt: number;
  /** It went on. */
  goOn(): void;
  /** Who waits is to look again. */
  stir(): void;
  /** Resolves when it is time to look again, at the latest after the limit (milliseconds). */
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
