import { systemClock, type Clock } from '@holdfast/runtime';

/**
 * A clock that runs this many times as fast as the machine's. What a client has read ages as fast, and may be
 * two seconds old: at four times the pace, that is half a second of a busy machine.
 */
export function createPacedClock(pace: number): Clock {
  return {
    now: () => systemClock.now() * pace,
    after: (delay, callback) => systemClock.after(delay / pace, callback),
  };
}

/**
 * The machine's clock, except that timers fire after a tenth of their time. It shortens the seconds that a
 * server asks a client to wait, while what the client has read ages at the normal pace.
 */
export const impatientClock: Clock = {
  now: () => systemClock.now(),
  after: (delay, callback) => systemClock.after(delay / 10, callback),
};
