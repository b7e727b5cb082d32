import type { Decision } from './decision.ts';
import { isHeld, isHold } from './hold.ts';
import { namesWorkload } from './references.ts';
import { removal } from './removal.ts';
import type { Situation } from './situation.ts';

/** A claim is held beside a reference to an earlier workload of the name: that one was gone before it was confirmed, and might have been orphaned. */
export function heldSinceEarlier({ claim, ours, workload }: Situation): Decision | undefined {
  const stale = ours.filter(
    (reference) => namesWorkload(reference, workload) && reference.uid !== workload.uid,
  );
  return isHeld(claim) && stale.length > 0 ? removal(claim, stale, 'NoLongerSo') : undefined;
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
