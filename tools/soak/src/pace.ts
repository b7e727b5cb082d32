import { setTimeout as pause } from 'node:timers/promises';

/**
 * Gives turns at an even rate. Turns are due by a timetable, not by the turn before, so that what an API server's restart
 * cost is made up for afterwards and the rate holds over the whole run.
 *
 * p-limit and its likes limit how many run at once, token buckets how many may start; neither owes the turns it missed.
 */
export function createPace(perSecond: number): () => Promise<void> {
  let due = performance.now();
  return async () => {
    due += 1000 / perSecond;
    const wait = due - performance.now();
    if (wait > 0) {
      await pause(wait);
    }
  };
}
