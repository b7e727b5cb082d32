import type { PersistentVolume } from '@holdfast/core';
import type { StorageDeletionOptions } from '../storage-deletion.ts';

/** What deletes the storage of one kind of in-tree volume. */
export interface InTreePlugin {
  /** Whether the volume is of this plugin's kind, and by its source one that may be deleted here. */
  canDelete(volume: PersistentVolume): boolean;
  /**
   * Resolves when the volume's storage is gone, also when it was gone before.
   *
   * @throws Error when it can't be deleted, or must not be; the message says why. What `beforeDeletion` throws, as it is.
   */
  delete(volume: PersistentVolume, options: StorageDeletionOptions): Promise<void>;
}
