import type { PersistentVolumeClaim } from '@holdfast/core';

/**
 * The pods that claims had last, by the UIDs of both. A pod that ends without grace may be gone before its claim has its
 * reference; its UID still serves. Bound to the claim's UID, so that a claim made later under the name is not taken for the
 * one that the pod had.
 *
 * Kept in memory only: of pods that went while no controller ran nobody knows, and their claims are kept.
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
