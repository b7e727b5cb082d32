import type { After } from '../../src/meta/timer.ts';

/**
 * Timers on which nobody waits: whenever one is set, time leaps to the one that is due first, so that they fire in the
 * order of real ones.
 */
export function leapingTimers(): After {
  const pending = new Set<{ readonly due: number; readonly callback: () => void }>();
  let now = 0;
  const leap = (): void => {
    const [first] = [...pending].sort((a, b) => a.due - b.due);
    if (first !== undefined) {
      pending.delete(first);
      now = first.due;
      first.callback();
    }
  };
  return (milliseconds, callback) => {
    const timer = { due: now + milliseconds, callback };
    pending.add(timer);
    setImmediate(leap);
    return { cancel: () => pending.delete(timer) };
  };
}
