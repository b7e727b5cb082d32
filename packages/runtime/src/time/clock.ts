/** A pending callback of a {@link Clock}. */
export interface ClockTimer {
  cancel(): void;
}

/**
 * The interface through which the runtime sees time, so that back-off, rate limits and leases can be tested
 * without waiting. All values are in milliseconds; `now` is monotonic and has no fixed zero.
 */
export interface Clock {
  now(): number;
  /** Calls back once, after at least `delay`. */
  after(delay: number, callback: () => void): ClockTimer;
}

/**
 * The machine's clock. Its timers keep the process alive; a delay above 24.8 days, Node's longest, is cut to
 * that.
 */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (delay, callback) => {
    // Node fires a timer of more than 2^31-1 ms immediately, and prints a warning for one below zero.
    const timer = setTimeout(callback, Math.min(Math.max(delay, 0), 0x7fffffff));
    return { cancel: () => clearTimeout(timer) };
  },
};

/**
 * Resolves after the delay.
 *
 * @throws the signal's reason as soon as it is aborted.
 */
export function sleep(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const abort = (): void => {
      timer.cancel();
      reject(signal.reason as Error);
    };
    const timer = clock.after(delay, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** Like {@link sleep}, for a loop's condition: false as soon as the signal is aborted. Never rejects. */
export function slept(clock: Clock, delay: number, signal: AbortSignal): Promise<boolean> {
  return sleep(clock, delay, signal).then(
    () => true,
    () => false,
  );
}
