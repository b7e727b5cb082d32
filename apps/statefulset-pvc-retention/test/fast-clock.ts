import { systemClock, type Clock } from '@holdfast/runtime';

/**
 * A clock on which a second takes a twentieth of one. For tests that cut watches for the sake of what comes after: the back-off of
 * a watch is 800 ms at the least.
 */
export const fastClock: Clock = {
  now: () => systemClock.now() * 20,
  after: (delay, callback) => systemClock.after(delay / 20, callback),
};
