/**
 * Refuses a rate or a burst of NaN. Compared with any number it is false, so it would set no limit.
 *
 * @param owner what the limit is for, in the message.
 */
export function mustBeRate(owner: string, rate: { readonly qps: number; readonly burst: number }): void {
  for (const option of ['qps', 'burst'] as const) {
    if (Number.isNaN(rate[option])) {
      const cure =
        option === 'qps' ? 'a number of requests per second, or 0 for no limit' : 'a number of at least 1';
      throw new Error(`${owner}: ${option} is NaN; give ${cure}`);
    }
  }
}
