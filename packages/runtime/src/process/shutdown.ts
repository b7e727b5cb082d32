import type { Logger } from 'pino';

/**
 * Work that has not ended this many milliseconds after the shutdown began is abandoned: less than a pod's
 * usual 30 s.
 */
const shutdownTimeout = 20_000;

/** The two ways in which a process ends: in an orderly way, or at once if that takes too long. */
export interface Shutdown {
  /** Aborted when no new work must begin. */
  readonly stop: AbortSignal;
  /** Aborted when work under way must end at once. */
  readonly abandon: AbortSignal;
  /**
   * Aborts `stop`, and `abandon` 20 s later.
   *
   * @param by what caused the shutdown, as in "stopped by SIGTERM".
   */
  begin(by: string): void;
  /** Aborts both, for this reason. */
  giveUp(reason: unknown): void;
  /** Call when everything has ended: signals of the process are no longer handled. */
  over(): void;
}

/**
 * Creates the shutdown of a process. The first SIGTERM or SIGINT begins it, and so does the caller's signal;
 * another signal of the process abandons what is under way.
 *
 * @param signal of a caller that ends the work without a signal of the operating system. Default: none.
 */
export function openShutdown(logger: Logger, signal?: AbortSignal): Shutdown {
  const stop = new AbortController();
  const abandon = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const begin = (by: string): void => {
    if (stop.signal.aborted) {
      return;
    }
    stop.abort(new Error(`stopped by ${by}`));
    timer = setTimeout(() => {
      abandon.abort(new Error(`work was still under way ${String(shutdownTimeout)} ms after ${by}`));
    }, shutdownTimeout);
  };
  const onSignal = (name: NodeJS.Signals): void => {
    if (stop.signal.aborted) {
      abandon.abort(new Error(`a second signal, ${name}, came while stopping`));
      return;
    }
    logger.info({ signal: name }, 'Stopping');
    begin(name);
  };
  const onCaller = (): void => {
    logger.info('Stopping, as the caller asks');
    begin('its caller');
  };

  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (signal?.aborted === true) {
    onCaller();
  } else {
    signal?.addEventListener('abort', onCaller, { once: true });
  }
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    begin,
    giveUp: (reason) => {
      abandon.abort(reason);
      stop.abort(reason);
    },
    over: () => {
      clearTimeout(timer);
      process.off('SIGTERM', onSignal);
      process.off('SIGINT', onSignal);
      signal?.removeEventListener('abort', onCaller);
    },
  };
}
