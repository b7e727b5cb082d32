import {
  apiVersionOf,
  isTerminating,
  type ApiResource,
  type KubernetesObject,
  type OwnerReference,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { deadline, notYetDue } from './deadline.ts';
import type {
  DeleteDecision,
  MarkDecision,
  NoneDecision,
  OwnersDecision,
  PostponeDecision,
  UnmarkDecision,
  UntieDecision,
  WaitDecision,
} from './decision.ts';
import { markOf } from './mark.ts';
import { isHeld } from './hold.ts';
import { controllingPod, isNamedAfter, isOfKind, referencesOf } from './references.ts';
import { removal } from './removal.ts';
import { isOfTiedKind, tieOf, type TiedTo } from './tie.ts';

/** How a workload ended whose end was seen. */
export type Ending =
  | { readonly kind: 'orphaned' }
  /** Another workload of its name exists, or existed after it: whoever made that one undid the deletion. */
  | { readonly kind: 'madeAgain' }
  | {
      readonly kind: 'withDependents';
      /** The undo window that it gave its claims, in milliseconds. */
      readonly window: number;
    };

/** Returns the workloads that a claim's mark and its tie name, the mark's first. */
export function workloadsNamedOn(claim: PersistentVolumeClaim): readonly TiedTo[] {
  const mark = markOf(claim);
  const tie = tieOf(claim);
  return [...(mark?.kind === 'valid' ? [mark.workload] : []), ...(typeof tie === 'object' ? [tie] : [])];
}

/**
 * Returns whether what this program has put on the claim names a workload of another kind than these: then another
 * process watches that kind, as where each has its own `--workloads`.
 */
export function namesAnotherKind(
  claim: PersistentVolumeClaim,
  kinds: readonly ApiResource<KubernetesObject>[],
): boolean {
  const mark = markOf(claim);
  const tie = tieOf(claim);
  const named = [
    ...(mark === undefined || mark.kind === 'void' ? [] : [mark.workload]),
    ...(typeof tie === 'object' ? [tie] : []),
  ];
  const unconfirmedOwners = isHeld(claim) ? unconfirmed(claim) : [];
  return (
    named.some((workload) => !kinds.some((kind) => isOfTiedKind(workload, kind))) ||
    unconfirmedOwners.some(
      (reference) => !kinds.some((kind) => isOfKind(reference, { ...kind, apiVersion: apiVersionOf(kind) })),
    )
  );
}

/**
 * A claim that is named after no existing workload, or that is left from a workload which no longer has a
 * template for it.
 */
export interface Leftover {
  readonly claim: PersistentVolumeClaim | undefined;
  /** Whether what is on the claim names a workload of a kind that is not watched here, see {@link namesAnotherKind}. */
  readonly isOfAnotherKind: boolean;
  /**
   * Its references of this program to existing workloads that no longer have a template for it, or to their
   * pods.
   */
  readonly withoutTemplate: readonly OwnerReference[];
  /** Whether it is tied to such a workload. */
  readonly isTiedInVain: boolean;
  /**
   * The pod that controls it by name and UID, as the API server has it; undefined if it was not asked, `none`
   * if there is none.
   */
  readonly livePod: OrphanFacts | 'none' | undefined;
  /** Whether its mark should have been removed since it was written, see `StrayMarks`. */
  readonly markWasStray: boolean;
  /** How the workload ended that it is tied to or marked with; undefined if that was not seen. */
  readonly ending: Ending | undefined;
  /** What the API server shows of that workload; undefined if it was not asked. */
  readonly live: LiveEnd | undefined;
  /** Whether undo windows are possible: gates DeletionGracePeriod and StatefulSetAutoDeletePVC. */
  readonly windows: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The same by the API server's clock; undefined if it is not known. */
  readonly serverNow: number | undefined;
  /** No window is over before this time, in milliseconds since 1970; undefined: each ends at its own time. */
  readonly noneOverBefore: number | undefined;
}

export interface LiveEnd {
  /**
   * `there`: it exists, or another workload that makes claims of this name. `unseen`: one might exist, of a
   * kind that cannot be read at the moment. `unknown`: its kind is not watched any more.
   */
  readonly workload: 'gone' | 'there' | 'unseen' | 'unknown';
  /** Whether any pod names the claim. */
  readonly inUse: boolean | 'notAsked';
}

export interface OrphanFacts {
  readonly uid: string;
  /** Whether a workload made it, and it no longer has a controller. */
  readonly orphaned: boolean;
  /** Whether one of its volumes is this claim, by name and not as a generic ephemeral volume. */
  readonly namesClaim: boolean;
}

export type LeftoverDecision =
  | NoneDecision
  | OwnersDecision
  | MarkDecision
  | UnmarkDecision
  | UntieDecision
  | WaitDecision
  | PostponeDecision
  | DeleteDecision
  | { readonly kind: 'askLive'; readonly about: 'pod' }
  | EndQuestion;

/** A question about the workload that a claim was marked with or is tied to. */
export interface EndQuestion {
  readonly kind: 'askLive';
  readonly about: 'workload' | 'users';
  readonly workload: TiedTo;
}

/**
 * Decides about what a workload that is gone has left on a claim: the first row that fits applies.
 *
 * | claim                                                             | answer                                       |
 * |-------------------------------------------------------------------|----------------------------------------------|
 * | gone, or terminating                                              | nothing                                      |
 * | held for, marked with or tied to a workload of a kind that is not | nothing: another process might watch it      |
 * | watched here                                                      |                                              |
 * | held, see `holdOn`                                                | hold and reference are removed: the workload |
 * |                                                                   | might have been orphaned                     |
 * | controlled by a workload that has no template for it any more, or | the reference is removed: no policy counts   |
 * | by a pod of it, by a reference of this program                    | for the claim                                |
 * | tied to such a workload                                           | the tie is removed                           |
 * | marked for a scale-down, or void, or undo windows are off, or the | the mark is removed                          |
 * | workload was orphaned, or made again since, or the mark is an     |                                              |
 * | earlier one that others wrote                                     |                                              |
 * | controlled by a pod by the name that, looked at live, was made by | its reference is removed: it would go with   |
 * | a workload, has no controller any more, and names the claim       | the pod although the workload was orphaned   |
 * | marked with its workload, not due                                 | waits                                        |
 * | the same, due, and by a live look the workload is gone and no pod | deleted, unless it has an owner              |
 * | names the claim                                                   |                                              |
 * | the same, but the workload has been made again                    | the mark is removed                          |
 * | the same, or tied, but some kind of workload can't be read now    | looked at again later                        |
 * | tied, void, or undo windows are off, or the workload was          | the tie is removed                           |
 * | orphaned, or made again since, by the cache or by a live look     |                                              |
 * | tied, and the workload was seen to end with its dependents        | marked, after a live look                    |
 * | tied, and its end was not seen                                    | nothing: it might have been orphaned         |
 */
export function decideLeftover(leftover: Leftover): LeftoverDecision {
  const { claim, livePod, ending, windows, markWasStray } = leftover;
  if (claim === undefined) {
    return { kind: 'none', reason: 'ClaimGone' };
  }
  if (isTerminating(claim)) {
    return { kind: 'none', reason: 'ClaimTerminating' };
  }
  if (leftover.isOfAnotherKind) {
    return { kind: 'none', reason: 'NotOurs' };
  }
  if (isHeld(claim)) {
    return removal(claim, unconfirmed(claim), 'NoLongerSo');
  }
  if (leftover.withoutTemplate.length > 0) {
    return removal(claim, leftover.withoutTemplate, 'TemplateGone');
  }
  if (leftover.isTiedInVain) {
    return { kind: 'untie', claim, reason: 'TemplateGone' };
  }
  const mark = markOf(claim);
  const set = mark?.kind === 'valid' && mark.cause === 'DeletedWithWorkload' ? mark.workload : undefined;
  if (mark !== undefined && (set === undefined || markWasStray || !windows || leavesItsClaims(ending))) {
    return { kind: 'unmark', what: 'mark', claim, reason: 'NotCondemned' };
  }
  const owner = controllingPod(claim);
  if (owner !== undefined) {
    if (livePod === undefined) {
      return { kind: 'askLive', about: 'pod' };
    }
    if (livePod !== 'none' && livePod.uid === owner.uid && livePod.orphaned && livePod.namesClaim) {
      return removal(claim, [owner], 'PodOrphaned');
    }
  }
  return mark?.kind === 'valid' && set !== undefined
    ? decideMarked(claim, mark.due, set, leftover)
    : decideTied(claim, leftover);
}

function leavesItsClaims(ending: Ending | undefined): boolean {
  return ending !== undefined && ending.kind !== 'withDependents';
}

/**
 * Returns the reference next to the hold, to a workload that the claim is named after. A stock controller
 * might have rewritten it.
 */
function unconfirmed(claim: PersistentVolumeClaim): readonly OwnerReference[] {
  return referencesOf(claim).filter(
    (reference) => reference.controller === true && isNamedAfter(claim, reference),
  );
}

function decideMarked(
  claim: PersistentVolumeClaim,
  due: number,
  workload: TiedTo,
  leftover: Leftover,
): LeftoverDecision {
  const waiting = notYetDue(due, leftover);
  if (waiting !== undefined) {
    return waiting;
  }
  if (referencesOf(claim).length > 0) {
    return { kind: 'none', reason: 'OtherOwners' };
  }
  const { live } = leftover;
  if (live === undefined || live.inUse === 'notAsked') {
    return { kind: 'askLive', about: 'users', workload };
  }
  switch (live.workload) {
    case 'there':
      return { kind: 'unmark', what: 'mark', claim, reason: 'NotCondemned' };
    case 'unseen':
      return { kind: 'postpone', reason: 'WorkloadUnseen' };
    case 'unknown':
      return { kind: 'none', reason: 'NotOurs' };
    case 'gone':
      return live.inUse
        ? { kind: 'postpone', reason: 'InUse', overdue: leftover.now - due }
        : { kind: 'deleteClaim', claim, reason: 'GraceOver' };
  }
}

function decideTied(
  claim: PersistentVolumeClaim,
  { ending, live, windows, now, serverNow = now }: Leftover,
): LeftoverDecision {
  const tie = tieOf(claim);
  if (tie === undefined) {
    return { kind: 'none', reason: 'NotOurs' };
  }
  if (tie === 'void' || !windows || leavesItsClaims(ending)) {
    return { kind: 'untie', claim, reason: 'PolicyRetains' };
  }
  if (ending?.kind !== 'withDependents') {
    return { kind: 'none', reason: 'EndUnseen' };
  }
  if (live === undefined) {
    return { kind: 'askLive', about: 'workload', workload: tie };
  }
  switch (live.workload) {
    case 'there':
      // The cache might never have it: it can be gone before the next list.
      return { kind: 'untie', claim, reason: 'PolicyRetains' };
    case 'unknown':
      return { kind: 'none', reason: 'NotOurs' };
    case 'unseen':
      return { kind: 'postpone', reason: 'WorkloadUnseen' };
    case 'gone':
      return {
        kind: 'mark',
        claim,
        deleteAfter: deadline(ending.window, now, serverNow),
        workload: tie,
        reason: 'DeletedWithWorkload',
      };
  }
}
