/** How long to wait between tries that fail. */
export interface BackoffOptions {
  /** First delay, milliseconds. */
  readonly initial: number;
  /** No delay is longer before jitter, milliseconds. */
  readonly max: number;
  /** Each delay is this many times the one before. Default 2. */
  readonly factor?: number;
  /** Up to this share is added at random, so that many clients do not come back at once. Default 0. */
  readonly jitter?: number;
  /** Random number in [0, 1). Default Math.random. */
  readonly random?: () => number;
}

/** The delay, in milliseconds, after the given number of failures in a row (0: the first failure). */
export function backoffDelay(failures: number, options: BackoffOptions): number {
  const { initial, max, factor = 2, jitter = 0, random = Math.random } = options;
  // A huge exponent overflows to Infinity, which the maximum then caps.
  const delay = Math.min(initial * factor ** failures, max);
  return delay * (1 + jitter * random());
}
