import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Resolves once the condition holds, asking less often the longer it takes; throws after 20 seconds without. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const started = Date.now();
  while (!(await holds())) {
    const waited = Date.now() - started;
    if (waited > 20_000) {
      throw new Error(`not in 20 s: ${what}`);
    }
    await pause(Math.min(20 + waited / 8, 200));
  }
}

/**
 * Whether a process of that pid runs. One that has ended does not, even while nobody has waited for it: when its parent
 * is dead, that is up to the machine's init, which takes its time, and of which a container may have none.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return process.platform !== 'linux' || !hasEnded(pid);
}

function hasEnded(pid: number): boolean {
  try {
    // The state follows the name, which is in parentheses and may hold some itself.
    return /.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
