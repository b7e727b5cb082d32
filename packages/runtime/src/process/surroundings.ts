import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from '../time/clock.ts';
import type { Shutdown } from './shutdown.ts';

/** What an app takes from the process that it is the program of. Whoever runs one within a process of another purpose, such as a test, gives its own. */
export interface Surroundings {
  /** Default: to standard error, as the flags say. */
  readonly logger?: Logger;
  /** Default: one that holds the metrics of the process itself. */
  readonly registry?: Registry;
  /** Of back-offs, requeue delays and caches. Default: the machine's. */
  readonly clock?: Clock;
  /** Wall clock of the app. Default: the machine's. */
  readonly now?: () => Date;
  /**
   * How the work ends. Default: by signals of the process and the caller's, and a process whose work hangs is ended. With one, no signal is
   * listened for, and whoever gives it says what becomes of work that hangs.
   */
  readonly shutdown?: Shutdown;
}
