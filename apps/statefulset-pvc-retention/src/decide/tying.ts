import type { Decision } from './decision.ts';
import { removal } from './removal.ts';
import type { Situation } from './situation.ts';
import { isTied, tiedTo, tieOf, tieValue } from './tie.ts';
import { isMeant } from './wanted-owner.ts';

/**
 * A claim is tied if it would otherwise have the workload's reference, and its workload asks for an undo
 * window.
 */
export function tieMissing(situation: Situation): Decision | undefined {
  const { claim, workload, shared } = situation;
  return workload.whenDeleted === 'Delete' &&
    typeof workload.deletionGrace === 'number' &&
    !shared &&
    !isTied(claim, workload) &&
    isMeant(situation)
    ? { kind: 'tie', claim, value: tieValue(claim, tiedTo(workload)), reason: 'DeletedWithWorkload' }
    : undefined;
}

/**
 * Decides about a reference of this program to a workload that now asks for a window: the reference is
 * removed first. Writing the tie is left to a stock controller for a while, and until then the claim would be
 * deleted at once with its workload. If only the reference shows that the claim is meant, the tie comes
 * first.
 */
export function referenceBeforeTie(situation: Situation): Decision | undefined {
  const { claim, workload, ours } = situation;
  const own = ours.filter(
    ({ uid, blockOwnerDeletion }) => uid === workload.uid && blockOwnerDeletion === false,
  );
  const others = ours.filter((reference) => !own.includes(reference));
  return own.length > 0 && tieMissing({ ...situation, ours: others }) !== undefined
    ? removal(claim, own, 'PolicyRetains')
    : undefined;
}

/**
 * Decides about a tie whose workload is another one by now, retains its claims, is being orphaned, or no
 * longer asks for a window.
 */
export function strayTie({ claim, workload, shared }: Situation): Decision | undefined {
  const isCalledFor =
    workload.whenDeleted === 'Delete' &&
    workload.deletionGrace !== undefined &&
    workload.deletion !== 'orphaning';
  return tieOf(claim) !== undefined && (!isCalledFor || shared || !isTied(claim, workload))
    ? { kind: 'untie', claim, reason: 'PolicyRetains' }
    : undefined;
}
