import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { MarkCause } from './mark.ts';
import type { TiedTo } from './tie.ts';

/** Writes the claim's owner references, all at once, so that there is never a second controller. */
export interface OwnersDecision {
  readonly kind: 'setOwners';
  /** `confirm`: an added reference is to stay, and only the hold beside it goes, see `holdOn`. */
  readonly operation: 'add' | 'swap' | 'remove' | 'confirm';
  readonly claim: PersistentVolumeClaim;
  readonly references: readonly OwnerReference[];
  /** Whose reference is added or confirmed; undefined: none is. */
  readonly owner: OwnerReference | undefined;
  readonly reason:
    | 'DeletedWithWorkload'
    | 'ScaledDown'
    | 'PolicyRetains'
    | 'OrdinalWanted'
    | 'ForeignController'
    | 'SharedName'
    | 'WorkloadOrphans'
    | 'NoLongerSo'
    | 'PodOrphaned'
    | 'TemplateGone'
    | 'Confirmed';
}

export interface NoneDecision {
  readonly kind: 'none';
  readonly reason:
    | 'ClaimGone'
    | 'ClaimTerminating'
    | 'Settled'
    | 'WorkloadTerminating'
    | 'PodGone'
    | 'InUse'
    | 'NotOurs'
    /** What its users want to hear of: */
    | 'ForeignController'
    | 'StaleReference'
    | 'SharedName'
    | 'OtherOwners'
    | 'ScaleDownMissed'
    | 'WindowUnusable'
    /** A user has taken the time of its mark away, to keep it. */
    | 'MarkWithdrawn'
    /** A stock controller deletes without regard to the undo window, and an Event on the workload says so. */
    | 'WindowNotHeld'
    /** Its workload is gone, and whether its dependents were to survive it was not seen. */
    | 'EndUnseen';
}

/** Writes when the claim is to be deleted. */
export interface MarkDecision {
  readonly kind: 'mark';
  readonly claim: PersistentVolumeClaim;
  /** RFC 3339. */
  readonly deleteAfter: string;
  /** Workload that was scaled down, or deleted. */
  readonly workload: TiedTo;
  readonly reason: MarkCause;
}

export interface DeleteDecision {
  readonly kind: 'deleteClaim';
  readonly claim: PersistentVolumeClaim;
  readonly reason: 'GraceOver' | 'ScaleDownMissed';
}

/** Decide again then, and not before. */
export interface WaitDecision {
  readonly kind: 'wait';
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly reason: 'Grace';
}

/**
 * The claim is to be looked at again by time, since no event might come. A pod that only the API server shows uses it, and might be gone
 * before the cache ever has it; or the API server does not let a kind be read that its workload is, or might be, of.
 */
export interface PostponeDecision {
  readonly kind: 'postpone';
  readonly reason: 'InUse' | 'WorkloadUnseen';
}

/** Ties the claim to its workload: it is to be deleted with it, after an undo window. */
export interface TieDecision {
  readonly kind: 'tie';
  readonly claim: PersistentVolumeClaim;
  /** Of the annotation. */
  readonly value: string;
  readonly reason: 'DeletedWithWorkload';
}

export interface UntieDecision {
  readonly kind: 'untie';
  readonly claim: PersistentVolumeClaim;
  readonly reason: 'PolicyRetains';
}

/** Takes the claim's time of deletion away. */
export interface UnmarkDecision {
  readonly kind: 'unmark';
  /** `time`: what stands beside it stays, so that the claim is not marked anew. */
  readonly what: 'mark' | 'time';
  readonly claim: PersistentVolumeClaim;
  readonly reason: 'NotCondemned';
}

/** What is wrong is left to the stock controller for now: look again after `delay`. */
export interface LeaveDecision {
  readonly kind: 'leave';
  /** UID of the owner that the claim should have; `none`: it should have none of ours; `mark`, `tie`: that it lacks. */
  readonly wanted: string;
  /** Milliseconds. */
  readonly delay: number;
  readonly reason: 'StockController';
}

export type Decision =
  | NoneDecision
  | LeaveDecision
  /** The cache is behind, or what was seen live contradicts it. */
  | { readonly kind: 'lookAgain'; readonly reason: string }
  | WaitDecision
  | PostponeDecision
  /**
   * What is to be done would lead to the claim's deletion: look at the workload, and at what else is named, and decide again.
   * The workload is to be looked at last.
   */
  | { readonly kind: 'askLive'; readonly about: 'workload' | 'pod' | 'users' }
  | OwnersDecision
  | MarkDecision
  | UnmarkDecision
  | TieDecision
  | UntieDecision
  | DeleteDecision;
