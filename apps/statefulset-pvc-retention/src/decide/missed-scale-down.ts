import { notYetDue } from './deadline.ts';
import type { Decision } from './decision.ts';
import { hasOtherOwners, type Situation } from './situation.ts';

/** Returns whether it was scaled down, and the pod that the claim would have gone with was not seen. */
export function isMissed({ isScaledDown, pod }: Situation): boolean {
  return isScaledDown && pod.kind === 'gone' && pod.lastUid === undefined;
}

/**
 * Returns whether the claim belongs to this workload, so that its policy can delete the claim without a pod:
 * the workload controls the claim, or is the older of the two. A claim of an earlier workload of that name is
 * kept for when this one is scaled up (KEP-1847, story 2). Creation times have whole seconds, so equal ones
 * show no order.
 */
function belongs({ claim, workload, ours }: Situation): boolean {
  const claimCreatedAt = Date.parse(claim.metadata.creationTimestamp ?? '');
  return (
    ours.some(({ uid }) => uid === workload.uid) ||
    (workload.createdAt !== undefined && claimCreatedAt > workload.createdAt)
  );
}

/**
 * Returns whether gate CollectMissedScaleDown applies: the claim has no pod to own it, so it is deleted
 * directly.
 */
export function isCollected(situation: Situation): boolean {
  return situation.collectMissed && isMissed(situation) && belongs(situation);
}

export function missedAndCollected(situation: Situation): Decision | undefined {
  const { claim, shared, grace, noneOverBefore } = situation;
  if (!isCollected(situation) || shared || grace !== undefined) {
    return undefined;
  }
  if (hasOtherOwners(situation)) {
    return { kind: 'none', reason: 'OtherOwners' };
  }
  const waiting = noneOverBefore === undefined ? undefined : notYetDue(noneOverBefore, situation);
  return waiting ?? { kind: 'deleteClaim', claim, reason: 'ScaleDownMissed' };
}

export function missedAndKept(situation: Situation): Decision | undefined {
  return isMissed(situation) ? { kind: 'none', reason: 'ScaleDownMissed' } : undefined;
}
