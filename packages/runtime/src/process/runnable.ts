/** Work of a process apart from its controllers, such as a server, a connection or a report. */
export interface Runnable {
  /** The name in the log. */
  readonly name: string;
  /**
   * `leader`: runs with the controllers, while the caches are full and the lease is held. `everyReplica`:
   * runs from when the servers listen until the controllers have ended. Default: `leader`.
   */
  readonly on?: 'leader' | 'everyReplica';
  /**
   * Runs until it has nothing more to do, or `stop` is aborted. Work under way can then finish, unless
   * `abandon` is aborted too.
   *
   * A rejection is logged and ends the process in an orderly way, with exit code 1.
   */
  run(stop: AbortSignal, abandon: AbortSignal): Promise<void>;
}
