import type { Decision } from './decision.ts';
import { hasOtherOwners, type Situation } from './situation.ts';

/** Scaled down, and the pod that the claim would have gone with was not seen. */
export function isMissed({ isScaledDown, pod }: Situation): boolean {
  return isScaledDown && pod.kind === 'gone' && pod.lastUid === undefined;
}

/** Gate CollectMissedScaleDown: with no pod to own the claim, it is deleted directly. */
export function missedAndCollected(situation: Situation): Decision | undefined {
  const { claim, shared, grace, collectMissed } = situation;
  if (!isMissed(situation) || !collectMissed || shared || grace !== undefined) {
    return undefined;
  }
  return hasOtherOwners(situation)
    ? { kind: 'none', reason: 'OtherOwners' }
    : { kind: 'deleteClaim', claim, reason: 'ScaleDownMissed' };
}

export function missedAndKept(situation: Situation): Decision | undefined {
  return isMissed(situation) ? { kind: 'none', reason: 'ScaleDownMissed' } : undefined;
}
