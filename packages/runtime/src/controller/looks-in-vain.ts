import type { Logger } from 'pino';
import type { Clock } from '../time/clock.ts';

/** After this many looks in a row that all ended with the next one, some two minutes, a key is worth a warning. */
const worthWarning = 16;
/** A line also names the keys with this many: those that share the cause are not far behind the first. */
const worthNaming = 8;
/** The shortest time between two warnings of a controller, in milliseconds. */
const quiet = 480_000;
/** The most keys that a warning names. */
const mostNamed = 10;

/** Warns about keys that are looked at again and again without a failure, so that no other line names them. */
export interface LooksInVain {
  /** Records a look that ended with the next one. */
  again(key: string, reason: string): void;
  /** Records that the key came to an end. */
  over(key: string): void;
}

/**
 * Counts for each key the looks in a row that ended with the next one. One line names the keys of a controller, so
 * that a cause that thousands of keys share does not fill the log.
 */
export function createLooksInVain(
  controller: string,
  { clock, logger }: { readonly clock: Pick<Clock, 'now'>; readonly logger: Pick<Logger, 'warn'> },
): LooksInVain {
  const rows = new Map<string, { readonly looks: number; readonly reason: string }>();
  let quietUntil = -Infinity;

  return {
    again: (key, reason) => {
      const looks = (rows.get(key)?.looks ?? 0) + 1;
      rows.set(key, { looks, reason });
      if (looks < worthWarning || clock.now() < quietUntil) {
        return;
      }
      quietUntil = clock.now() + quiet;
      const found = Array.from(rows, ([each, row]) => ({ key: each, ...row }))
        .filter((each) => each.looks >= worthNaming)
        .sort((one, other) => other.looks - one.looks);
      logger.warn(
        { controller, keys: found.length, longest: found.slice(0, mostNamed) },
        'Looked at again and again, and never as it should be',
      );
    },
    over: (key) => {
      rows.delete(key);
    },
  };
}
