import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { Decision, LeaveDecision, NoneDecision, OwnersDecision } from './decision.ts';
import { namesPod, referencesOf, uidsOf } from './references.ts';
import type { Snapshot, StockController, WorkloadFacts } from './snapshot.ts';

/**
 * How long wrong references are left to the stock controller, in milliseconds. It takes less than a second,
 * and a standby takes over within 17 s. What it has not corrected in five minutes, such as claims without a
 * pod, it does not look at.
 */
const patience: Readonly<Record<StockController, number>> = { absent: 0, unknown: 20_000, atWork: 300_000 };

/**
 * For a claim of a condemned ordinal whose pod is gone, which the stock controller no longer looks at: time
 * for the caches, in milliseconds.
 */
const podGonePatience = 2_000;

/**
 * Decides whether to leave a decision to the stock controller. The first to write determines the references,
 * so the stock controller goes first:
 *
 * | decision                                                     | answer                                               |
 * |--------------------------------------------------------------|------------------------------------------------------|
 * | of a workload that the stock controller has no policy for    | carried out                                          |
 * | writes no references                                         | carried out; a mark or tie where the field says Delete |
 * |                                                              | is left, so that it promises nothing that is not so  |
 * | takes away a reference of our own, other than for a pod's    | carried out: it keeps data, and the other did not    |
 * |                                                              | write it                                             |
 * | the workload is being deleted                                | carried out: the stock controller looks no more, and |
 * |                                                              | the garbage collector orphans only the claims whose  |
 * |                                                              | references it knew when it began                     |
 * | of a workload that asks for an undo window where the field   | nothing, while the other is at work: it deletes at   |
 * | says Delete, marks as well                                   | once, and would write its references again           |
 * | only sets the controller flag, and the other is at work      | nothing: up to 1.30 it writes plain references       |
 * | any other                                                    | left, for as long as `patience` says; for two        |
 * |                                                              | seconds where a condemned ordinal's pod is gone      |
 *
 * @returns undefined if the decision is to be carried out.
 */
export function giveWay(
  decision: Decision,
  { workload, pod, stock, left }: Pick<Snapshot, 'workload' | 'pod' | 'stock' | 'left'>,
): LeaveDecision | NoneDecision | undefined {
  if (workload.field === undefined || stock === 'absent') {
    return undefined;
  }
  const leave = (wanted: string): LeaveDecision | undefined => {
    const time = workload.wanted || pod !== undefined ? patience[stock] : podGonePatience;
    const delay = time - (left?.wanted === wanted ? left.for : 0);
    return delay > 0 ? { kind: 'leave', wanted, delay, reason: 'StockController' } : undefined;
  };
  const isOvertaken = stock === 'atWork' && asksForWindow(workload);
  const isPromise = decision.kind === 'tie' || decision.kind === 'mark';
  if (isPromise && asksForWindow(workload)) {
    return isOvertaken ? { kind: 'none', reason: 'WindowNotHeld' } : leave(decision.kind);
  }
  if (decision.kind !== 'setOwners') {
    return undefined;
  }
  const goes = removedBy(decision);
  if (workload.deletion !== 'none' || takesBack(decision, goes)) {
    return undefined;
  }
  if (isOvertaken) {
    return { kind: 'none', reason: 'WindowNotHeld' };
  }
  if (stock === 'atWork' && goes.length === 0 && hasOwner(decision.claim, decision.owner?.uid)) {
    return { kind: 'none', reason: 'Settled' };
  }
  return leave(decision.owner?.uid ?? 'none');
}

/**
 * Returns whether the stock controller left this undone: it looks at a workload's existing pods, each with
 * its claims, and would have done this by now.
 */
export function wasLeftUndone({ workload, pod, left }: Snapshot): boolean {
  return left !== undefined && workload.deletion === 'none' && pod?.ofWorkload === true;
}

/**
 * Returns whether the claim has got a reference that the field requires, and that we did not write, since
 * ours have `blockOwnerDeletion: false`.
 *
 * @param before the claim's references until then
 */
export function isWrittenByStock(
  before: readonly OwnerReference[],
  { claim, workload, podName }: Pick<Snapshot, 'claim' | 'workload' | 'podName'>,
): boolean {
  const { field, uid: workloadUid, wanted } = workload;
  const known = uidsOf(before);
  return (
    claim !== undefined &&
    referencesOf(claim).some(
      (reference) =>
        reference.blockOwnerDeletion !== false &&
        ((field?.whenDeleted === 'Delete' && reference.uid === workloadUid) ||
          (field?.whenScaled === 'Delete' && !wanted && namesPod(reference, podName))) &&
        !known.has(reference.uid),
    )
  );
}

/**
 * Returns whether it asks for an undo window where the field says Delete: a stock controller that carries out
 * the field does not wait.
 */
function asksForWindow({ field, grace, deletionGrace }: WorkloadFacts): boolean {
  return (
    (field?.whenScaled === 'Delete' && grace !== undefined) ||
    (field?.whenDeleted === 'Delete' && deletionGrace !== undefined)
  );
}

function hasOwner(claim: PersistentVolumeClaim, owner: string | undefined): boolean {
  return referencesOf(claim).some(({ uid }) => uid === owner);
}

function takesBack({ owner }: OwnersDecision, goes: readonly OwnerReference[]): boolean {
  return owner?.kind !== 'Pod' && goes.some(isWrittenByUs);
}

/**
 * The garbage collector might not know a reference that was added a moment ago, and then does not orphan the
 * claim.
 */
function isWrittenByUs({ blockOwnerDeletion }: OwnerReference): boolean {
  return blockOwnerDeletion === false;
}

function removedBy({ claim, references }: OwnersDecision): readonly OwnerReference[] {
  const kept = uidsOf(references);
  return referencesOf(claim).filter(({ uid }) => !kept.has(uid));
}
