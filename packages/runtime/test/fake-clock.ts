import type { Clock } from '../src/clock.ts';

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** Goes on by so many milliseconds: due timers fire in their order, and after each all promises run. */
  advance(duration: number): Promise<void>;
  /** Timers that have neither fired nor been cancelled. */
  readonly pending: number;
}

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
