/** Milliseconds between two looks: soon at first, since most of what is awaited comes within a few. */
const pause = { first: 2, factor: 1.5 };

/**
 * Waits until the condition holds, asking at first after 2 ms, then less and less often.
 *
 * @param limit milliseconds, default 20,000.
 * @param longestPause between two looks, milliseconds. Default: an eighth of the time waited so far, but at least 20 and at most 200. What
 *   takes seconds is asked for a few times a second only: a real API server spends more CPU time on being asked than on the work.
 * @throws after the limit, naming what was waited for; what `holds` throws.
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
