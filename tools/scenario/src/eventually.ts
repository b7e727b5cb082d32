/**
 * The pause between two checks, in milliseconds. It is short at first, since most conditions hold within a
 * few milliseconds.
 */
const pause = { first: 2, factor: 1.5 };

/**
 * Waits until the condition holds. Checks after 2 ms at first, and then less and less often.
 *
 * @param limit milliseconds, default 20,000
 * @param longestPause the maximum of milliseconds between two checks. Default: an eighth of the time waited
 *   so far, but at least 20 and at most 200. A condition that takes seconds is thus checked only a few times
 *   a second: a real API server would otherwise spend more CPU time on the checks than on the work.
 * @throws after the limit, naming what was waited for; what `holds` throws
 */
export async function eventually(
  what: string,
  holds: () => Promise<boolean> | boolean,
  limit = 20_000,
  longestPause?: number,
): Promise<void> {
  const started = performance.now();
  let next = pause.first;
  while (!(await holds())) {
    const waited = performance.now() - started;
    if (waited > limit) {
      throw new Error(`waited ${String(limit / 1000)} s in vain until ${what}`);
    }
    const delay = next;
    await new Promise((resolve) => setTimeout(resolve, delay));
    next = Math.min(next * pause.factor, longestPause ?? Math.min(Math.max(waited / 8, 20), 200));
  }
}
