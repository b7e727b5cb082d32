import {
  finalizers,
  hasFinalizer,
  isControlledBy,
  isScheduled,
  isTerminated,
  isTerminating,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import { claimsNamedBy } from './decide/pod-claims.ts';

/** Everything that the decision is based on. */
export interface Snapshot {
  /** The claim in the cache; undefined if it is gone. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** The pods in the cache, in the claim's namespace, that name the claim. */
  readonly cachedPods: readonly Pod[];
  /** The nodes to which the claim's volume is attached, according to the cache. */
  readonly cachedNodes: ReadonlySet<string>;
  /** What the API server itself returned; undefined if it was not asked. */
  readonly live: Live | undefined;
  /** Whether gate StorageObjectInUseProtection is on. */
  readonly protect: boolean;
  /** Whether gate WaitForVolumeDetach is on. */
  readonly waitForDetach: boolean;
}

/**
 * What the API server returned about a claim when asked after the claim of this UID was seen to be
 * terminating.
 */
export interface Live {
  readonly claimUid: string;
  /** The pods that name the claim. */
  readonly pods: readonly Pod[];
  /**
   * The nodes to which its volume is, or might be, attached; undefined if they were not requested, since
   * mostly they do not matter.
   */
  readonly nodes: ReadonlySet<string> | undefined;
}

/**
 * Why a claim stays, and which pods hold it. If a pod in the cache ends, that wakes the claim. A pod that was
 * only seen live might come and go without ever being in the cache, so the claim must be looked at again.
 */
export interface Postponement {
  readonly kind: 'postpone';
  readonly claim: PersistentVolumeClaim;
  readonly reason: 'InUse' | 'StillAttached';
  readonly pods: readonly string[];
  readonly seen: 'cache' | 'live';
}

export type Decision =
  | { readonly kind: 'none'; readonly reason: 'ClaimGone' | 'Protected' | 'ProtectionOff' | 'NotHeldByUs' }
  | Postponement
  | { readonly kind: 'addFinalizer'; readonly claim: PersistentVolumeClaim; readonly reason: 'Unprotected' }
  /** The cache shows no user. That is no proof: list the pods of the namespace, then decide again. */
  | { readonly kind: 'askPods'; readonly claim: PersistentVolumeClaim; readonly reason: 'NoUserInCache' }
  /** Only terminated pods name the claim, and the cache shows no attachment: list the attachments too. */
  | {
      readonly kind: 'askAttachments';
      readonly claim: PersistentVolumeClaim;
      readonly reason: 'NoAttachmentInCache';
    }
  | { readonly kind: 'removeFinalizer'; readonly claim: PersistentVolumeClaim; readonly reason: 'Unused' };

/**
 * Decides what to do about a claim.
 *
 * | claim                            | gate | used or attached, cache | live             | answer          |
 * |----------------------------------|------|-------------------------|------------------|-----------------|
 * | gone                             | -    | -                       | -                | none            |
 * | not terminating, finalizer there | -    | -                       | -                | none            |
 * | not terminating, finalizer not   | off  | -                       | -                | none            |
 * | not terminating, finalizer not   | on   | -                       | -                | addFinalizer    |
 * | terminating, finalizer not       | -    | -                       | -                | none            |
 * | terminating, finalizer there     | -    | yes                     | -                | postpone        |
 * | terminating, finalizer there     | -    | no                      | not asked        | ask             |
 * | terminating, finalizer there     | -    | no                      | used or attached | postpone        |
 * | terminating, finalizer there     | -    | no                      | neither          | removeFinalizer |
 *
 * "Attached": gate WaitForVolumeDetach is on, a terminated pod names the claim, and the claim's volume is
 * attached to that pod's node. The kubelet unmounts after the pod has ended (kubernetes#65552). An unreadable
 * attachment counts as attaching everything that it might, see `attached-nodes.ts`.
 *
 * The cache alone can prove "used", but never "unused", since it might not have seen a pod yet.
 */
export function decide(snapshot: Snapshot): Decision {
  const { claim, protect } = snapshot;
  if (claim === undefined) {
    return { kind: 'none', reason: 'ClaimGone' };
  }
  const held = hasFinalizer(claim, finalizers.pvcProtection);
  if (isTerminating(claim)) {
    return held ? decideRelease(claim, snapshot) : { kind: 'none', reason: 'NotHeldByUs' };
  }
  if (held) {
    return { kind: 'none', reason: 'Protected' };
  }
  return protect
    ? { kind: 'addFinalizer', claim, reason: 'Unprotected' }
    : { kind: 'none', reason: 'ProtectionOff' };
}

function decideRelease(claim: PersistentVolumeClaim, snapshot: Snapshot): Decision {
  const { cachedPods, cachedNodes, waitForDetach } = snapshot;
  const inCache = heldBy(claim, cachedPods, waitForDetach ? cachedNodes : noNodes);
  if (inCache !== undefined) {
    return { kind: 'postpone', claim, ...inCache, seen: 'cache' };
  }
  if (snapshot.live?.claimUid !== claim.metadata.uid) {
    return { kind: 'askPods', claim, reason: 'NoUserInCache' };
  }
  const { pods, nodes } = snapshot.live;
  const seenLive = heldBy(claim, pods, waitForDetach ? (nodes ?? noNodes) : noNodes);
  if (seenLive !== undefined) {
    return { kind: 'postpone', claim, ...seenLive, seen: 'live' };
  }
  const mightBeAttached =
    waitForDetach && [...cachedPods, ...pods].some((pod) => mightStillMount(pod, claim));
  if (mightBeAttached && nodes === undefined) {
    return { kind: 'askAttachments', claim, reason: 'NoAttachmentInCache' };
  }
  return { kind: 'removeFinalizer', claim, reason: 'Unused' };
}

/** Stands for every node in a set of nodes. No node has this name. */
export const anyNode = '*';

const noNodes: ReadonlySet<string> = new Set();

function heldBy(
  claim: PersistentVolumeClaim,
  pods: readonly Pod[],
  nodes: ReadonlySet<string>,
): Pick<Postponement, 'reason' | 'pods'> | undefined {
  const using = pods.filter((pod) => usesClaim(pod, claim));
  if (using.length > 0) {
    return { reason: 'InUse', pods: using.map(({ metadata }) => metadata.name) };
  }
  const mounting = pods.filter(
    (pod) => mightStillMount(pod, claim) && (nodes.has(pod.spec?.nodeName ?? '') || nodes.has(anyNode)),
  );
  return mounting.length > 0
    ? { reason: 'StillAttached', pods: mounting.map(({ metadata }) => metadata.name) }
    : undefined;
}

/**
 * Returns whether the kubelet of a terminated pod might not have unmounted the claim's volume yet, if the
 * claim has one.
 */
function mightStillMount(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return (claim.spec?.volumeName ?? '') !== '' && isScheduled(pod) && isTerminated(pod) && names(pod, claim);
}

/**
 * Returns whether a pod uses a claim: from when it is bound to a node until it is terminated. Graceful
 * deletion does not change that. Before a pod is bound no kubelet mounts anything, and the kubelet does not
 * start a pod whose claim is terminating (the design).
 *
 * The claim of a generic ephemeral volume is the pod's only if this pod controls it. It stops being used as
 * soon as the kubelet has ended the pod (grace period zero): the claim is then deleted with the pod, and must
 * not wait for it.
 */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return isScheduled(pod) && !isTerminated(pod) && names(pod, claim);
}

function names(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const naming = claimsNamedBy(pod).get(claim.metadata.name);
  return (
    naming !== undefined &&
    (naming.direct || (naming.ephemeral && isControlledBy(claim, pod) && !endedByKubelet(pod)))
  );
}

function endedByKubelet(pod: Pod): boolean {
  return isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds === 0;
}
