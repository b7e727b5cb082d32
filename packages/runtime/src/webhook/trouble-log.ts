import type { Logger } from 'pino';
import { createSpamFilter } from '../events/spam-filter.ts';
import type { Clock } from '../time/clock.ts';

/** Logs what is wrong with a review. */
export type LogTrouble = (level: 'error' | 'warn', fields: object, message: string) => void;

/**
 * Creates a log for reviews that strangers can send too: of each message a hundred lines at once, and then one
 * each second. The metrics count every review.
 */
export function createTroubleLog(logger: Logger, clock: Clock): LogTrouble {
  const isNoSpam = createSpamFilter({ clock, burst: 100, interval: 1_000 });
  return (level, fields, message) => {
    if (isNoSpam(message)) {
      logger[level](fields, message);
    }
  };
}
