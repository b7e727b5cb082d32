import { systemClock, type Clock } from '@holdfast/runtime';

/**
 * The machine's clock, this many times as fast. A client's look grows old as fast, and has two seconds: at four times the pace, half a second of a
 * busy machine.
 */
export function createPacedClock(pace: number): Clock {
  return {
    now: () => systemClock.now() * pace,
    after: (delay, callback) => systemClock.after(delay / pace, callback),
  };
}

/** The machine's clock, but that what waits is called back after a tenth of the time: for seconds that a server asks a client to wait, while its looks age as they do. */
export const impatientClock: Clock = {
  now: () => systemClock.now(),
  after: (delay, callback) => systemClock.after(delay / 10, callback),
};
