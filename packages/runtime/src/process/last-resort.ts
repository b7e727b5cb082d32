import type { Logger } from 'pino';

/**
 * How many milliseconds abandoned work has to end: less than the time between the loss of a lease and
 * another's term.
 */
const patience = 3_000;

/**
 * Ends the process if abandoned work does not end: a leader that lost its lease, or has to stop, must not
 * continue to act. It relies only on a timer, since everything else might wait for whatever hangs (H2). The
 * exit code is 1; if a call into a file system or a name lookup hangs, the process kills itself (SIGKILL).
 *
 * @returns the function to call when everything has ended.
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
 * Ends the process. If a call into a file system or a name lookup hangs, the process kills itself: by SIGKILL, or by
 * SIGABRT as the first process of a container.
 *
 * @param code default: `process.exitCode`.
 */
export function exitWhateverHangs(code?: number): void {
  if (waitsForThreads()) {
    // The log is written once for all lines of a turn, so the kill waits until after that.
    setImmediate(() => {
      process.kill(process.pid, 'SIGKILL');
      // Only the first process of a container gets here: the kernel ignores what such a process sends to itself.
      process.abort();
    });
  } else {
    // An undefined argument would set the exit code to 0.
    process.exit(code ?? process.exitCode);
  }
}

/**
 * Returns whether a call is under way that hangs or might hang: into a file system, or to the name servers,
 * which can take a minute to not answer. Node's exit waits for the threads of such calls, so it would not end
 * either.
 */
function waitsForThreads(): boolean {
  return process.getActiveResourcesInfo().some((resource) => /^(FSReq|Get(Addr|Name)Info)/.test(resource));
}
