import { deadline, notYetDue } from './deadline.ts';
import type { Decision } from './decision.ts';
import { markOf } from './mark.ts';
import { isCollected, isMissed } from './missed-scale-down.ts';
import { hasOtherOwners, type Situation } from './situation.ts';
import { tiedTo } from './tie.ts';

/**
 * Decides about a mark that should not be there: it is void, or belongs to an earlier workload; it is for a
 * deleted workload although one of that name exists; or there is, or was meanwhile, no undo window (scaled up
 * again, another policy, the gate off, the workload being deleted). If the time of a mark cannot be parsed,
 * only the time is removed, as if a user had removed it.
 */
export function strayMark({ claim, grace, workload, markWasStray }: Situation): Decision | undefined {
  const mark = markOf(claim);
  if (mark === undefined) {
    return undefined;
  }
  const isCalledFor =
    mark.kind !== 'void' &&
    !markWasStray &&
    mark.workload.uid === workload.uid &&
    mark.cause === 'ScaledDown' &&
    typeof grace === 'number';
  if (!isCalledFor) {
    return { kind: 'unmark', what: 'mark', claim, reason: 'NotCondemned' };
  }
  return mark.kind === 'unreadable'
    ? { kind: 'unmark', what: 'time', claim, reason: 'NotCondemned' }
    : undefined;
}

/** An undo window is requested that is not possible: nothing is deleted. */
export function windowUnusable({ grace }: Situation): Decision | undefined {
  return grace === 'unusable' ? { kind: 'none', reason: 'WindowUnusable' } : undefined;
}

/** The window begins when the claim is marked, if its scale-down was seen or missed ones are collected. */
export function markMissing(situation: Situation): Decision | undefined {
  const { claim, workload, pod, now, serverNow = now } = situation;
  const window = windowOf(situation);
  if (window === undefined || dueOf(situation) !== undefined) {
    return undefined;
  }
  // The rest of the mark stays with the claim as long as its ordinal is condemned, so that it is not marked
  // again.
  if (markOf(claim)?.kind === 'withdrawn') {
    return { kind: 'none', reason: 'MarkWithdrawn' };
  }
  if (pod.kind === 'present' && !pod.ofWorkload) {
    return { kind: 'none', reason: 'InUse' };
  }
  return isMissed(situation) && !isCollected(situation)
    ? { kind: 'none', reason: 'ScaleDownMissed' }
    : {
        kind: 'mark',
        claim,
        deleteAfter: deadline(window, now, serverNow),
        workload: tiedTo(workload),
        reason: 'ScaledDown',
      };
}

/** A deadline has passed if both clocks say so, since one of them might be wrong. */
export function windowOpen(situation: Situation): Decision | undefined {
  const due = dueOf(situation);
  return windowOf(situation) === undefined || due === undefined ? undefined : notYetDue(due, situation);
}

export function windowOver(situation: Situation): Decision | undefined {
  if (windowOf(situation) === undefined) {
    return undefined;
  }
  if (hasOtherOwners(situation)) {
    return { kind: 'none', reason: 'OtherOwners' };
  }
  return situation.pod.kind === 'present'
    ? { kind: 'none', reason: 'InUse' }
    : { kind: 'deleteClaim', claim: situation.claim, reason: 'GraceOver' };
}

/** In milliseconds; undefined if the claim has none, or the policy of another workload might apply to it. */
function windowOf({ grace, shared }: Situation): number | undefined {
  return shared || grace === 'unusable' ? undefined : grace;
}

/**
 * Returns when the claim is to be deleted according to its mark, in milliseconds since 1970; undefined if it
 * has no valid mark.
 */
export function dueOf({ claim }: Pick<Situation, 'claim'>): number | undefined {
  const mark = markOf(claim);
  return mark?.kind === 'valid' ? mark.due : undefined;
}
