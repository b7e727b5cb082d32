/** Counts what happens, and wakes who waits for more. */
export interface Activity {
  readonly count: number;
  /** When the world went on last, milliseconds of `performance.now()`. */
  readonly wentOnAt: number;
  /** Something happened. */
  stir(): void;
  /** Something happened that is not a matter of time alone, as the renewal of a Lease is. */
  goOn(): void;
  /** Resolves when something happens, at the latest after the limit (milliseconds). */
  next(limit: number): Promise<void>;
}

export function createActivity(): Activity {
  const waiting = new Set<() => void>();
  let count = 0;
  let wentOnAt = performance.now();
  const stir = (): void => {
    count += 1;
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
