import { setTimeout as pause } from 'node:timers/promises';
import { processUsage } from '@holdfast/testing';

const span = 500;
const defaultLimit = 15_000;
/** The share of a core that an idle API server uses for its own housekeeping. */
const idleShare = 0.05;

/**
 * Waits until a process has been idle for half a second, so that a round does not pay for earlier work. It
 * waits at most 15 seconds: a process that is never idle is the same disadvantage for both contestants.
 *
 * @param limit milliseconds, if 15 seconds are not enough to read all objects
 */
export async function settled(pid: number, signal: AbortSignal, limit = defaultLimit): Promise<void> {
  const deadline = performance.now() + limit;
  let before = (await processUsage(pid)).cpuSeconds;
  while (performance.now() < deadline) {
    await pause(span, undefined, { signal });
    const after = (await processUsage(pid)).cpuSeconds;
    if (after - before <= (idleShare * span) / 1000) {
      return;
    }
    before = after;
  }
}
