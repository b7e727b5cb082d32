/** Counts what happens, and wakes who waits for more. */
export interface Activity {
  readonly count: number;
  stir(): void;
  /** Resolves when something happens, at the latest after the limit (milliseconds). */
  next(limit: number): Promise<void>;
}

export function createActivity(): Activity {
  const waiting = new Set<() => void>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    stir: () => {
      count += 1;
      for (const wake of waiting) {
        wake();
      }
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
