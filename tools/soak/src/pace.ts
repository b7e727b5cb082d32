import { setTimeout as pause } from 'node:timers/promises';

/**
 * Gives turns at an even rate. Turns are due by a timetable, and not by the previous turn, so that the time
 * lost to a restart of the API server is made up for afterwards, and the rate holds over the whole run.
 *
 * p-limit and similar packages limit how many run at once, and token buckets limit how many may start;
 * neither makes up for missed turns.
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
