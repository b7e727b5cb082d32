/** Milliseconds between two looks: soon at first, since most of what is awaited comes within a few. */
const pause = { first: 2, factor: 1.5 };

/**
 * Waits until the condition holds, asking at first after 2 ms, then less and less often, down to every 20 ms.
 *
 * @param limit milliseconds, default 20,000.
 * @param longestPause between two looks, milliseconds, default 20.
 * @throws after the limit, naming what was waited for; what `holds` throws.
 */
export async function eventually(
  what: string,
  holds: () => Promise<boolean> | boolean,
  limit = 20_000,
  longestPause = 20,
): Promise<void> {
  const deadline = performance.now() + limit;
  let next = pause.first;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`waited ${String(limit / 1000)} s in vain until ${what}`);
    }
    const delay = next;
    await new Promise((resolve) => setTimeout(resolve, delay));
    next = Math.min(next * pause.factor, longestPause);
  }
}
