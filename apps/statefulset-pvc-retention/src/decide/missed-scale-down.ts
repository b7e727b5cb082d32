import type { Decision } from './decision.ts';
import { hasOtherOwners, type Situation } from './situation.ts';

/** Scaled down, and the pod that the claim would have gone with was not seen. */
export function isMissed({ isScaledDown, pod }: Situation): boolean {
  return isScaledDown && pod.kind === 'gone' && pod.lastUid === undefined;
}

/**
 * The claim came to be under this very workload, whose policy may therefore delete it without a pod: the workload controls it, or is the
 * older of the two. A claim of an earlier workload of the name is kept for when this one is scaled up (KEP-1847, story 2). Times of creation
 * are whole seconds: equal ones show no order.
 */
function belongs({ claim, workload, ours }: Situation): boolean {
  const claimCreatedAt = Date.parse(claim.metadata.creationTimestamp ?? '');
  return (
    ours.some(({ uid }) => uid === workload.uid) ||
    (workload.createdAt !== undefined && claimCreatedAt > workload.createdAt)
  );
}

/** Gate CollectMissedScaleDown applies to it: with no pod to own the claim, it is deleted directly. */
export function isCollected(situation: Situation): boolean {
  return situation.collectMissed && isMissed(situation) && belongs(situation);
}

export function missedAndCollected(situation: Situation): Decision | undefined {
  const { claim, shared, grace } = situation;
  if (!isCollected(situation) || shared || grace !== undefined) {
    return undefined;
  }
  return hasOtherOwners(situation)
    ? { kind: 'none', reason: 'OtherOwners' }
    : { kind: 'deleteClaim', claim, reason: 'ScaleDownMissed' };
}

export function missedAndKept(situation: Situation): Decision | undefined {
  return isMissed(situation) ? { kind: 'none', reason: 'ScaleDownMissed' } : undefined;
}
