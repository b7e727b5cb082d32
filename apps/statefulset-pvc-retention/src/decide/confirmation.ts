import type { Decision } from './decision.ts';
import { isHeld, isHold } from './hold.ts';
import { namesWorkload } from './references.ts';
import { removal } from './removal.ts';
import type { Situation } from './situation.ts';

/**
 * Decides about a held claim whose workload ends before the reference was confirmed, or whose workload's name
 * belongs to another one by now. Its dependents might have been orphaned, even if only others' finalizers are
 * left: orphaning leaves no trace on a workload.
 */
export function heldTooLate({ claim, ours, workload }: Situation): Decision | undefined {
  const isTooLate =
    workload.deletion !== 'none' ||
    ours.some((reference) => namesWorkload(reference, workload) && reference.uid !== workload.uid);
  return isHeld(claim) && isTooLate ? removal(claim, ours, 'NoLongerSo') : undefined;
}

/**
 * Removes the hold. If a reference stays, it can again lead to the claim's deletion, so it has to be
 * confirmed.
 */
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
