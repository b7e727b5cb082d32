/** How the deletion of storage begins and ends, whatever deletes it. */
export interface StorageDeletionOptions {
  /**
   * Called right before the deletion begins, in the same turn of the event loop. If it throws, nothing is
   * deleted. It is not called if there is nothing to delete.
   */
  readonly beforeDeletion: () => void;
  /**
   * Called before each further step of a deletion with many steps. If it throws, the deletion ends there.
   * Default: not called.
   */
  readonly beforeStep?: () => void;
  readonly signal: AbortSignal;
}
