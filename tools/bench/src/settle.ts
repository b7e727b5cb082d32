import { setTimeout as pause } from 'node:timers/promises';
import { processUsage } from '@holdfast/testing';

const span = 500;
const defaultLimit = 15_000;
/** Share of one core that an API server uses which has nothing to do but its own housekeeping. */
const idleShare = 0.05;

/**
 * Waits until a process has been idle for half a second, so that a round does not pay for what came before it; 15 seconds
 * at the most, since a process that never rests would be no worse for one contestant than for the other.
 *
 * @param limit milliseconds, where 15 seconds are too few to read all objects.
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
