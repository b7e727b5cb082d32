import { setTimeout as pause } from 'node:timers/promises';

/** Resolves once the condition holds; throws after 20 seconds without. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      throw new Error(`not in 20 s: ${what}`);
    }
    await pause(20);
  }
}

/** Whether there is a process of that pid. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
