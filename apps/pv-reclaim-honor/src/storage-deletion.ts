/** How the deletion of a storage begins and ends, whoever does it. */
export interface StorageDeletionOptions {
  /**
   * Called in the same turn of the event loop right before the deletion begins; what it throws ends the deletion, and nothing is
   * deleted. Not called where there is nothing to delete.
   */
  readonly beforeDeletion: () => void;
  /** Called before each further step of a deletion that takes many; what it throws ends the deletion there. Default: nothing is asked. */
  readonly beforeStep?: () => void;
  readonly signal: AbortSignal;
}
