/**
 * Waits until the condition holds, asking every 20 ms.
 *
 * @param limit milliseconds, default 20,000.
 * @throws after the limit, naming what was waited for; what `holds` throws.
 */
export async function eventually(
  what: string,
  holds: () => Promise<boolean> | boolean,
  limit = 20_000,
): Promise<void> {
  const deadline = performance.now() + limit;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`waited ${String(limit / 1000)} s in vain until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
