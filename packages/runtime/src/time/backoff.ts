/** How long to wait between failing tries. */
export interface BackoffOptions {
  /** First delay, in milliseconds. */
  readonly initial: number;
  /** The longest delay before jitter, in milliseconds. */
  readonly max: number;
  /** Each delay is this many times the previous one. Default: 2. */
  readonly factor?: number;
  /**
   * Up to this fraction of the delay is added at random, so that many clients do not return at once. Default:
   * 0.
   */
  readonly jitter?: number;
  /** Random number in [0, 1). Default Math.random. */
  readonly random?: () => number;
}

/**
 * Returns the delay, in milliseconds, after the given number of consecutive failures (0: the first failure).
 */
export function backoffDelay(failures: number, options: BackoffOptions): number {
  const { initial, max, factor = 2, jitter = 0, random = Math.random } = options;
  // A huge exponent overflows to Infinity, which the maximum then caps.
  const delay = Math.min(initial * factor ** failures, max);
  return delay * (1 + jitter * random());
}
