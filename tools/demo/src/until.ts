import { isNotFound } from '@holdfast/runtime';
import { StoryFailed } from './narrator.ts';

/** Whether the API server answers that there is no such object. */
export async function isGone(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return false;
  } catch (error) {
    if (isNotFound(error)) {
      return true;
    }
    throw error;
  }
}

/**
 * Waits until the condition holds, checking every 10 ms.
 *
 * @throws StoryFailed after half a minute, naming what was waited for; the signal's reason if aborted
 */
export async function until(what: string, signal: AbortSignal, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await holds())) {
    signal.throwIfAborted();
    if (performance.now() > deadline) {
      throw new StoryFailed(`waited 30 s in vain until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
