import { systemClock, type Clock } from '@holdfast/runtime';

/**
 * The machine's clock, this many times as fast, for seconds that a server asks the client to wait. A look of the client grows old as fast, and has
 * two seconds: at ten times the pace, a request may take 200 ms of a busy machine.
 */
export function createPacedClock(pace: number): Clock {
  return {
    now: () => systemClock.now() * pace,
    after: (delay, callback) => systemClock.after(delay / pace, callback),
  };
}
