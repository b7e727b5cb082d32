/** Notifies waiting callers that something has happened, whatever it was. */
export interface Activity {
  /** How often something happened. */
  readonly count: number;
  stir(): void;
  /** Resolves when something happens, or after this many milliseconds of the machine's time. */
  next(longest: number): Promise<void>;
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
      for (const wake of [...waiting]) {
        wake();
      }
    },
    next: (longest) =>
      new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, longest);
        waiting.add(wake);
      }),
  };
}
