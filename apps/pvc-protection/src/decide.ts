import {
  claimUses,
  finalizers,
  hasFinalizer,
  isControlledBy,
  isScheduled,
  isTerminated,
  isTerminating,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';

/** All that the decision rests on. */
export interface Snapshot {
  /** The claim as the cache has it; undefined: it is gone. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** Pods of the claim's namespace that name it, as the cache has them. */
  readonly cachedPods: readonly Pod[];
  /** What the API server itself said; undefined: it was not asked. */
  readonly live: LivePods | undefined;
  /** Gate StorageObjectInUseProtection. */
  readonly protect: boolean;
}

/** Pods that name a claim, asked of the API server after the claim of this UID was seen to be terminating. */
export interface LivePods {
  readonly claimUid: string;
  readonly pods: readonly Pod[];
}

export type Decision =
  | { readonly kind: 'none'; readonly reason: 'ClaimGone' | 'Protected' | 'ProtectionOff' | 'NotHeldByUs' }
  /**
   * The claim stays; these pods hold it. The end of one in the cache wakes the claim; one seen only live may come and go
   * without the cache's ever knowing it, so that the claim must be looked at again.
   */
  | {
      readonly kind: 'postpone';
      readonly reason: 'InUse';
      readonly pods: readonly string[];
      readonly seen: 'cache' | 'live';
    }
  | { readonly kind: 'addFinalizer'; readonly claim: PersistentVolumeClaim; readonly reason: 'Unprotected' }
  /** The cache shows no user, which is no proof: list the pods of the namespace, then decide again. */
  | { readonly kind: 'askLive'; readonly claim: PersistentVolumeClaim; readonly reason: 'NoUserInCache' }
  | { readonly kind: 'removeFinalizer'; readonly claim: PersistentVolumeClaim; readonly reason: 'Unused' };

/**
 * | claim                            | gate | used in cache | used live | answer          |
 * |----------------------------------|------|---------------|-----------|-----------------|
 * | gone                             | -    | -             | -         | none            |
 * | not terminating, finalizer there | -    | -             | -         | none            |
 * | not terminating, finalizer not   | off  | -             | -         | none            |
 * | not terminating, finalizer not   | on   | -             | -         | addFinalizer    |
 * | terminating, finalizer not       | -    | -             | -         | none            |
 * | terminating, finalizer there     | -    | yes           | -         | postpone        |
 * | terminating, finalizer there     | -    | no            | not asked | askLive         |
 * | terminating, finalizer there     | -    | no            | yes       | postpone        |
 * | terminating, finalizer there     | -    | no            | no        | removeFinalizer |
 *
 * The cache alone may say "used", never "unused": it may not have seen a pod yet.
 */
export function decide({ claim, cachedPods, live, protect }: Snapshot): Decision {
  if (claim === undefined) {
    return { kind: 'none', reason: 'ClaimGone' };
  }
  const held = hasFinalizer(claim, finalizers.pvcProtection);
  if (!isTerminating(claim)) {
    if (held) {
      return { kind: 'none', reason: 'Protected' };
    }
    return protect
      ? { kind: 'addFinalizer', claim, reason: 'Unprotected' }
      : { kind: 'none', reason: 'ProtectionOff' };
  }
  if (!held) {
    return { kind: 'none', reason: 'NotHeldByUs' };
  }
  const inCache = usersOf(claim, cachedPods);
  if (inCache.length > 0) {
    return { kind: 'postpone', reason: 'InUse', pods: inCache, seen: 'cache' };
  }
  if (live?.claimUid !== claim.metadata.uid) {
    return { kind: 'askLive', claim, reason: 'NoUserInCache' };
  }
  const seenLive = usersOf(claim, live.pods);
  return seenLive.length > 0
    ? { kind: 'postpone', reason: 'InUse', pods: seenLive, seen: 'live' }
    : { kind: 'removeFinalizer', claim, reason: 'Unused' };
}

/** Names of the pods that use the claim. */
function usersOf(claim: PersistentVolumeClaim, pods: readonly Pod[]): readonly string[] {
  return pods.filter((pod) => usesClaim(pod, claim)).map((pod) => pod.metadata.name);
}

/**
 * A pod uses a claim from when it is bound to a node until it is terminated; graceful deletion changes nothing. Before it
 * is bound no kubelet mounts anything, and the kubelet does not start a pod whose claim is terminating (the seed).
 *
 * The claim of a generic ephemeral volume is the pod's only if this very pod controls it, and is let go already when the
 * kubelet has ended the pod (grace period zero): the claim is then deleted with the pod, and must not wait for it.
 */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!isScheduled(pod) || isTerminated(pod)) {
    return false;
  }
  return claimUses(pod).some(
    (use) =>
      use.claimName === claim.metadata.name &&
      (!use.ephemeral || (isControlledBy(claim, pod) && !endedByKubelet(pod))),
  );
}

function endedByKubelet(pod: Pod): boolean {
  return isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds === 0;
}
