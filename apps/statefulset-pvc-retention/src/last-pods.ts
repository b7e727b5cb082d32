import type { PersistentVolumeClaim } from '@holdfast/core';

/**
 * The UID of the last pod of each claim. A pod that ends without a grace period might be gone before its
 * claim refers to it, but its UID can still be the owner's. It is stored by the claim's UID, so that a later
 * claim of the same name is not taken for the one that the pod had.
 *
 * It is kept in memory only: pods that ended while no controller ran are unknown, and their claims are kept.
 */
export interface LastPods {
  of(claim: PersistentVolumeClaim): string | undefined;
  remember(claim: PersistentVolumeClaim, podUid: string): void;
  forget(claim: PersistentVolumeClaim): void;
}

export function createLastPods(): LastPods {
  const podByClaim = new Map<string, string>();
  return {
    of: ({ metadata }) => podByClaim.get(metadata.uid),
    remember: ({ metadata }, podUid) => {
      podByClaim.set(metadata.uid, podUid);
    },
    forget: ({ metadata }) => {
      podByClaim.delete(metadata.uid);
    },
  };
}
