import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { Decision } from './decision.ts';
import { isHold } from './hold.ts';
import type { KnownPod } from './known-pod.ts';
import { namesWorkload, ownReferences, referencesOf } from './references.ts';
import type { Snapshot, WorkloadFacts } from './snapshot.ts';

type Given = Pick<
  Snapshot,
  'podName' | 'shared' | 'markWasStray' | 'enabled' | 'collectMissed' | 'now' | 'serverNow' | 'noneOverBefore'
>;

/**
 * What the rules judge: a claim with its workload and its pod, as either the cache or the API server shows
 * these two.
 */
export interface Situation extends Given {
  readonly claim: PersistentVolumeClaim;
  readonly workload: WorkloadFacts;
  readonly pod: KnownPod;
  /** All owner references of the claim. */
  readonly references: readonly OwnerReference[];
  /** The references that we can remove, see `ownReferences`. */
  readonly ours: readonly OwnerReference[];
  /** Whether the ordinal is condemned, and whenScaled is Delete. */
  readonly isScaledDown: boolean;
  /** The undo window of this scale-down; undefined if there is none, or the workload is being deleted. */
  readonly grace: WorkloadFacts['grace'];
}

/**
 * One rule of the chain: returns a decision, or undefined to pass the situation on to the next rule. Pure.
 */
export type Rule = (situation: Situation) => Decision | undefined;

export function situationOf(
  claim: PersistentVolumeClaim,
  workload: WorkloadFacts,
  pod: KnownPod,
  { podName, shared, markWasStray, enabled, collectMissed, now, serverNow, noneOverBefore }: Given,
): Situation {
  const isScaledDown = !workload.wanted && workload.whenScaled === 'Delete';
  return {
    claim,
    workload,
    pod,
    podName,
    shared,
    markWasStray,
    enabled,
    collectMissed,
    now,
    serverNow,
    noneOverBefore,
    references: referencesOf(claim),
    ours: ownReferences(claim, workload, { podName, enabled }),
    isScaledDown,
    grace: isScaledDown && workload.deletion === 'none' ? workload.grace : undefined,
  };
}

/** Returns whether either policy is Delete. */
export function isActive({ whenDeleted, whenScaled }: WorkloadFacts): boolean {
  return whenDeleted === 'Delete' || whenScaled === 'Delete';
}

/**
 * Returns whether it has an owner other than the workload and its pod: then the garbage collector would keep
 * it, and so do we. A reference with the workload's UID, but another kind or name, counts as one: nobody knows
 * what was meant by it.
 */
export function hasOtherOwners({ claim, references, ours, workload }: Situation): boolean {
  const isTo = (reference: OwnerReference): boolean =>
    reference.uid === workload.uid && namesWorkload(reference, workload);
  return references.some(
    (reference) => !ours.includes(reference) && !isTo(reference) && !isHold(claim, reference),
  );
}
