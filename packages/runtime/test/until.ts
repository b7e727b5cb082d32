import { settled } from '@holdfast/testing/fake-clock';

/** Resolves once the condition holds; throws after 20 seconds without. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > deadline) {
      throw new Error(`not in 20 s: ${what}`);
    }
    await settled();
  }
}
