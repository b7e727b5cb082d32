/** How the deletion of storage begins and ends, whatever deletes it. */
export interface StorageDeletionOptions {
  /**
   * Called right before the deletion begins, in the same turn of the event loop. If it throws, nothing is
   * deleted. It is not called if there is nothing to delete.
   */
  readonly beforeDeletion: () => void;
  readonly signal: AbortSignal;
}

/** The same for a deletion with many steps. */
export interface StepwiseDeletionOptions extends StorageDeletionOptions {
  /** Called before each further step. If it throws, the deletion ends there. */
  readonly beforeStep: () => void;
}
