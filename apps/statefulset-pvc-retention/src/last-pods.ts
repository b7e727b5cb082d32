import type { PersistentVolumeClaim } from '@holdfast/core';

/**
 * The UID of the last pod of each claim. A pod that ends without a grace period might be gone before its claim refers to it; its
 * UID still serves as the owner's. Kept by the claim's UID, so that a claim made later under the same name is not taken for the
 * one that the pod had.
 *
 * In memory only: pods that ended while no controller ran are not known, and their claims are kept.
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
