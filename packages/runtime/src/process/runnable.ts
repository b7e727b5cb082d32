/** Work of a process beside its controllers, such as a server, a connection or a report. */
export interface Runnable {
  /** Of the log. */
  readonly name: string;
  /**
   * `leader`: run with the controllers, when the caches are full and the lease is held. `everyReplica`: from when the servers listen until
   * the controllers have ended. Default `leader`.
   */
  readonly on?: 'leader' | 'everyReplica';
  /**
   * Runs until it has nothing more to do, or `stop` is aborted; what is under way then may end, unless `abandon` is aborted too.
   *
   * A rejection is logged and ends the process in good order, with exit code 1.
   */
  run(stop: AbortSignal, abandon: AbortSignal): Promise<void>;
}
