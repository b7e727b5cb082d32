import type { Decision } from './decision.ts';
import { isHeld, isHold } from './hold.ts';
import { namesWorkload } from './references.ts';
import { removal } from './removal.ts';
import type { Situation } from './situation.ts';

/**
 * A claim is held, and its workload ends before that was confirmed, or another has its name by now. Its dependents might have been orphaned, be
 * it that nothing but a finalizer of somebody else's shows any more: whoever orphans a workload leaves no sign on it.
 */
export function heldTooLate({ claim, ours, workload }: Situation): Decision | undefined {
  const isTooLate =
    workload.deletion !== 'none' ||
    ours.some((reference) => namesWorkload(reference, workload) && reference.uid !== workload.uid);
  return isHeld(claim) && isTooLate ? removal(claim, ours, 'NoLongerSo') : undefined;
}

/** Takes the hold off. What stays beside it leads to the claim's deletion again, so that it has to be confirmed. */
export function released({ claim, references, ours }: Situation): Decision | undefined {
  if (!isHeld(claim)) {
    return undefined;
  }
  const [owner] = ours;
  return owner === undefined
    ? removal(claim, [], 'NoLongerSo')
    : {
        kind: 'setOwners',
        operation: 'confirm',
        claim,
        references: references.filter((reference) => !isHold(claim, reference)),
        owner,
        reason: 'Confirmed',
      };
}
