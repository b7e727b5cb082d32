import type { PersistentVolumeClaim } from '@holdfast/core';

/**
 * The claims whose marks should have been removed since they were written, by the claims' UIDs. Until the API
 * server takes that write, the workload can have changed back, for example scaled up and down again: such a
 * mark must not end the new window at the time of the former one. Nor must one that others have written over it, which
 * belongs to an earlier scale-down.
 *
 * It is kept in memory only: nothing on the claim shows what happened while no process ran.
 */
export interface StrayMarks {
  has(claim: PersistentVolumeClaim): boolean;
  add(claim: PersistentVolumeClaim): void;
  /** Call when the claim has another mark, or none, or is gone. */
  delete(claim: PersistentVolumeClaim): void;
}

export function createStrayMarks(): StrayMarks {
  const uids = new Set<string>();
  return {
    has: ({ metadata }) => uids.has(metadata.uid),
    add: ({ metadata }) => void uids.add(metadata.uid),
    delete: ({ metadata }) => void uids.delete(metadata.uid),
  };
}
