import type { Logger } from 'pino';

/** Abandoned work has this many milliseconds to end: less than lies between the loss of a lease and another's term. */
const patience = 3_000;

/**
 * Ends the process when what was abandoned does not end: a leader that lost its lease, or was to stop, must not act on. It rests on a
 * timer alone, since whatever hangs might be what everything else waits for (H2).
 *
 * @returns the function that says that all has ended.
 */
export function endWhateverHangs(abandoned: AbortSignal, logger: Logger): () => void {
  let timer: NodeJS.Timeout | undefined;
  abandoned.addEventListener(
    'abort',
    () => {
      timer = setTimeout(() => {
        logger.fatal({ afterMs: patience }, 'Abandoned work does not end; exiting');
        process.exit(1);
      }, patience);
    },
    { once: true },
  );
  return () => clearTimeout(timer);
}
