import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from '../time/clock.ts';
import type { Shutdown } from './shutdown.ts';

/**
 * What an app takes from its process. A caller that runs the app within another process, such as a test,
 * supplies its own.
 */
export interface Surroundings {
  /** Default: a logger to standard error, as the flags say. */
  readonly logger?: Logger;
  /** Default: a registry with the metrics of the process itself. */
  readonly registry?: Registry;
  /** The clock for back-offs, requeue delays and caches. Default: the machine's. */
  readonly clock?: Clock;
  /** The wall clock of the app. Default: the machine's. */
  readonly now?: () => Date;
  /**
   * How the work ends. Default: by signals of the process and the caller's signal, and a process whose work
   * hangs is ended. If given, no signals are handled, and the caller must deal with work that hangs.
   */
  readonly shutdown?: Shutdown;
}
