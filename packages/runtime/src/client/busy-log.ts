import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';
import type { BusyWait } from './request-sender.ts';

/** During many refusals, at most one line is logged in this time (milliseconds). */
const period = 10_000;

/**
 * Logs that the API server asks the client to wait: the first wait at once, then one in ten seconds, with the
 * number of those that were not logged.
 */
export function createBusyLog(logger: Logger, clock: Clock): (wait: BusyWait) => void {
  let logged: number | undefined;
  let suppressed = 0;
  return ({ request, code, delay }) => {
    const now = clock.now();
    if (logged !== undefined && now - logged < period) {
      suppressed += 1;
      return;
    }
    logger.warn({ request, code, delayMs: delay, suppressed }, 'API server asks to wait');
    logged = now;
    suppressed = 0;
  };
}
