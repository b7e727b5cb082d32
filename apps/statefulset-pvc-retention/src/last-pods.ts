import type { PersistentVolumeClaim } from '@holdfast/core';

/**
 * The UID of the last pod of each claim. A pod that ends without a grace period might be gone before its
 * claim refers to it, but its UID can still be the owner's. It is stored by the claim's UID, so that a later
 * claim of the same name is not taken for the one that the pod had.
 *
 * It is kept in memory only: pods that ended while no controller ran are unknown, and their claims are kept.
 *
 * A claim is in doubt if its ordinal was condemned before the policy that counts now, or before the claim was
 * seen. The cache of pods might be behind by any time, so a pod that it has, or will have, might have ended
 * under the earlier policy. Such a pod can own the claim while it is seen to exist; but once it is gone, it is
 * not the claim's last pod.
 */
export interface LastPods {
  of(claim: PersistentVolumeClaim): string | undefined;
  remember(claim: PersistentVolumeClaim, podUid: string): void;
  forget(claim: PersistentVolumeClaim): void;
  doubt(claim: PersistentVolumeClaim): void;
  /** Ends {@link LastPods.doubt}: the ordinal is wanted again, or the claim is gone. */
  trust(claim: PersistentVolumeClaim): void;
  isInDoubt(claim: PersistentVolumeClaim): boolean;
}

export function createLastPods(): LastPods {
  const podByClaim = new Map<string, string>();
  const doubted = new Set<string>();
  return {
    of: ({ metadata }) => podByClaim.get(metadata.uid),
    remember: ({ metadata }, podUid) => {
      podByClaim.set(metadata.uid, podUid);
    },
    forget: ({ metadata }) => {
      podByClaim.delete(metadata.uid);
    },
    doubt: ({ metadata }) => void doubted.add(metadata.uid),
    trust: ({ metadata }) => void doubted.delete(metadata.uid),
    isInDoubt: ({ metadata }) => doubted.has(metadata.uid),
  };
}
