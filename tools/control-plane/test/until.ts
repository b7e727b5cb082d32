import { setTimeout as pause } from 'node:timers/promises';

/** Resolves once the condition holds; throws after 10 seconds without. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 25_000;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      throw new Error(`not in 25 s: ${what}`);
    }
    await pause(10);
  }
}
