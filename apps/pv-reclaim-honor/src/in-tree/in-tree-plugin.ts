import type { PersistentVolume } from '@holdfast/core';
import type { StepwiseDeletionOptions } from '../storage-deletion.ts';

/** Deletes the storage of one kind of in-tree volume. */
export interface InTreePlugin {
  /** Returns whether the volume is of this plugin's kind, and its source can be deleted here. */
  canDelete(volume: PersistentVolume): boolean;
  /**
   * Resolves when the volume's storage is gone, even if it was gone before.
   *
   * @throws Error if it cannot or must not be deleted; the message says why. What `beforeDeletion` throws is
   *   passed on unchanged.
   */
  delete(volume: PersistentVolume, options: StepwiseDeletionOptions): Promise<void>;
}
