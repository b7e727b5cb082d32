import {
  isControlledBy,
  isTerminated,
  isTerminating,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import { claimsNamedBy } from '../decide/pod-claims.ts';

/** The type of the condition, as in Kubernetes 1.36 (gate PersistentVolumeClaimUnusedSinceTime there). */
export const conditionType = 'Unused';

/** Everything that the decision is based on. */
export interface UnusedSnapshot {
  /** The claim in the cache; undefined if it is gone. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** The pods in the cache, in the claim's namespace, that name the claim. */
  readonly cachedPods: readonly Pod[];
  /** The same pods as the API server has them; undefined if it was not asked. */
  readonly livePods: readonly Pod[] | undefined;
  /** Whether gate ClaimUnusedCondition is on. */
  readonly enabled: boolean;
}

/** The condition without its type and time. */
export interface UnusedState {
  readonly status: 'True' | 'False';
  readonly reason: 'NoPodsUsingPVC' | 'PodUsingPVC';
  readonly message: string;
}

export type UnusedDecision =
  | { readonly kind: 'none'; readonly reason: 'ClaimGone' | 'Terminating' | 'UpToDate' | 'NotOurs' }
  /** The cache shows no user. That is no proof: list the pods of the namespace, then decide again. */
  | { readonly kind: 'askPods'; readonly claim: PersistentVolumeClaim; readonly reason: 'NoUserInCache' }
  | { readonly kind: 'set'; readonly claim: PersistentVolumeClaim; readonly state: UnusedState }
  | { readonly kind: 'remove'; readonly claim: PersistentVolumeClaim; readonly reason: 'GateOff' };

/**
 * Decides what to do about the condition.
 *
 * | claim       | gate | condition now    | named by a pod not terminated | answer      |
 * |-------------|------|------------------|-------------------------------|-------------|
 * | gone        | -    | -                | -                             | none        |
 * | any         | off  | ours             | -                             | remove      |
 * | any         | off  | absent, upstream | -                             | none        |
 * | terminating | on   | -                | -                             | none        |
 * | other       | on   | absent or True   | yes                           | set False   |
 * | other       | on   | absent or False  | no                            | set True    |
 * | other       | on   | says so already  | -                             | none        |
 *
 * Unlike for protection, a pod counts before it has a node: the condition shows people what they can clean up
 * (KEP-5541), and a claim that a pod waits for does not belong there.
 *
 * Status and reason are upstream's, so that the two agree. The message is ours, and identifies our
 * conditions, so that they can be removed when the gate is turned off.
 */
export function decideUnused({ claim, cachedPods, livePods, enabled }: UnusedSnapshot): UnusedDecision {
  if (claim === undefined) {
    return { kind: 'none', reason: 'ClaimGone' };
  }
  const present = claim.status?.conditions?.find(({ type }) => type === conditionType);
  if (!enabled) {
    return isOurs(present?.message)
      ? { kind: 'remove', claim, reason: 'GateOff' }
      : { kind: 'none', reason: 'NotOurs' };
  }
  if (isTerminating(claim)) {
    return { kind: 'none', reason: 'Terminating' };
  }
  if (cachedPods.some((pod) => mightUse(pod, claim))) {
    return present?.status === 'False'
      ? { kind: 'none', reason: 'UpToDate' }
      : { kind: 'set', claim, state: states.used };
  }
  if (present?.status === 'True') {
    return { kind: 'none', reason: 'UpToDate' };
  }
  if (livePods === undefined) {
    return { kind: 'askPods', claim, reason: 'NoUserInCache' };
  }
  if (!livePods.some((pod) => mightUse(pod, claim))) {
    return { kind: 'set', claim, state: states.unused };
  }
  return present?.status === 'False'
    ? { kind: 'none', reason: 'UpToDate' }
    : { kind: 'set', claim, state: states.used };
}

const states = {
  unused: { status: 'True', reason: 'NoPodsUsingPVC', message: 'No pod that may run names this claim.' },
  used: { status: 'False', reason: 'PodUsingPVC', message: 'A pod that may run names this claim.' },
} as const satisfies Record<string, UnusedState>;

function isOurs(message: string | undefined): boolean {
  return message === states.unused.message || message === states.used.message;
}

function mightUse(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const naming = isTerminated(pod) ? undefined : claimsNamedBy(pod).get(claim.metadata.name);
  return naming !== undefined && (naming.direct || isControlledBy(claim, pod));
}
