import type { Shutdown } from '../process/shutdown.ts';

/**
 * Creates the shutdown of an app within a test: no signal of the process begins it, and no timer abandons
 * work under way.
 */
export function createTestShutdown(): Shutdown {
  const stop = new AbortController();
  const abandon = new AbortController();
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    begin: (by) => stop.abort(new Error(`stopped by ${by}`)),
    giveUp: (reason) => {
      abandon.abort(reason);
      stop.abort(reason);
    },
    over: () => undefined,
  };
}
