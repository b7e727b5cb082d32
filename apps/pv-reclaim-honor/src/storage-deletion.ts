import type { PersistentVolume } from '@holdfast/core';

/** How the deletion of storage begins and ends, whatever deletes it. */
export interface StorageDeletionOptions {
  /**
   * Awaited before `beforeDeletion`, once nothing is known that stands in the way of the deletion. If it rejects,
   * nothing is deleted. It is not called if there is nothing to delete.
   *
   * @param beside other volumes over the storage that only what deletes it has found; none of them needs it.
   */
  readonly announce: (beside: readonly PersistentVolume[]) => Promise<void>;
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
