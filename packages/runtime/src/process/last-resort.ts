import type { Logger } from 'pino';

/** Abandoned work has this many milliseconds to end: less than lies between the loss of a lease and another's term. */
const patience = 3_000;

/**
 * Ends the process when what was abandoned does not end: a leader that lost its lease, or was to stop, must not act on. It rests on a
 * timer alone, since whatever hangs might be what everything else waits for (H2). The exit code is 1; where a call into a file system hangs,
 * the process kills itself (SIGKILL).
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
        exitWhateverHangs(1);
      }, patience);
    },
    { once: true },
  );
  return () => clearTimeout(timer);
}

/**
 * Ends the process. Where a call into a file system hangs, it kills itself (SIGKILL).
 *
 * @param code default: `process.exitCode`.
 */
export function exitWhateverHangs(code?: number): void {
  if (waitsForFiles()) {
    // After the log has been written, which is done once for all lines of a turn.
    setImmediate(() => process.kill(process.pid, 'SIGKILL'));
  } else {
    process.exit(code);
  }
}

/**
 * Whether a call into a file system is under way, which hangs, or must be taken for one that does. Node's exit waits for the threads of
 * such calls, and does not end either.
 */
function waitsForFiles(): boolean {
  return process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
}
