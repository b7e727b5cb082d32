import type { Decision } from './decision.ts';
import type { Situation } from './situation.ts';
import { isTied, tiedTo, tieOf, tieValue } from './tie.ts';
import { isMeant } from './wanted-owner.ts';

/** A claim is tied where it would have the workload's reference, and its workload asks for an undo window. */
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

/** Its workload is another by now, retains its claims, is being orphaned, or asks for no window any more. */
export function strayTie({ claim, workload, shared }: Situation): Decision | undefined {
  const isCalledFor =
    workload.whenDeleted === 'Delete' &&
    workload.deletionGrace !== undefined &&
    workload.deletion !== 'orphaning';
  return tieOf(claim) !== undefined && (!isCalledFor || shared || !isTied(claim, workload))
    ? { kind: 'untie', claim, reason: 'PolicyRetains' }
    : undefined;
}
