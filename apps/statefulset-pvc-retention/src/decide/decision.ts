import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { MarkCause } from './mark.ts';
import type { TiedTo } from './tie.ts';

/** Write the claim's owner references, all at once, so that there is never a second controller. */
export interface OwnersDecision {
  readonly kind: 'setOwners';
  /** `confirm`: an added reference stays, and only the hold next to it is removed, see `holdOn`. */
  readonly operation: 'add' | 'swap' | 'remove' | 'confirm';
  readonly claim: PersistentVolumeClaim;
  readonly references: readonly OwnerReference[];
  /** The owner whose reference is added or confirmed; undefined if there is none. */
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
    /** From here on, reasons that users want to know about: */
    | 'ForeignController'
    | 'StaleReference'
    | 'SharedName'
    | 'OtherOwners'
    | 'ScaleDownMissed'
    | 'WindowUnusable'
    /** A user has removed the time of its mark, to keep the claim. */
    | 'MarkWithdrawn'
    /** A stock controller deletes regardless of the undo window; an Event on the workload says so. */
    | 'WindowNotHeld'
    /** Its workload is gone, and nobody saw whether its dependents were to survive it. */
    | 'EndUnseen';
}

/** Write when the claim is to be deleted. */
export interface MarkDecision {
  readonly kind: 'mark';
  readonly claim: PersistentVolumeClaim;
  /** RFC 3339. */
  readonly deleteAfter: string;
  /** The workload that was scaled down or deleted. */
  readonly workload: TiedTo;
  readonly reason: MarkCause;
}

export interface DeleteDecision {
  readonly kind: 'deleteClaim';
  readonly claim: PersistentVolumeClaim;
  readonly reason: 'GraceOver' | 'ScaleDownMissed';
}

/** Decide again at that time, and not before. */
export interface WaitDecision {
  readonly kind: 'wait';
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly reason: 'Grace';
}

/**
 * Look at the claim again after a delay, since no event might come: a pod that only the API server shows uses
 * it, and might be gone before the cache ever has it; or its workload is, or might be, of a kind that the API
 * server does not let us read.
 */
export interface PostponeDecision {
  readonly kind: 'postpone';
  readonly reason: 'InUse' | 'WorkloadUnseen';
  /**
   * How long ago the claim was due, in milliseconds; Infinity after a missed scale-down, since then nothing says when.
   * Default: it is due now.
   */
  readonly overdue?: number;
}

/** Tie the claim to its workload: it will be deleted with it, after an undo window. */
export interface TieDecision {
  readonly kind: 'tie';
  readonly claim: PersistentVolumeClaim;
  /** The value of the annotation. */
  readonly value: string;
  readonly reason: 'DeletedWithWorkload';
}

export interface UntieDecision {
  readonly kind: 'untie';
  readonly claim: PersistentVolumeClaim;
  readonly reason: 'PolicyRetains' | 'TemplateGone';
}

/** Remove the claim's time of deletion. */
export interface UnmarkDecision {
  readonly kind: 'unmark';
  /** `time`: only the time is removed, so that the claim is not marked again. */
  readonly what: 'mark' | 'time';
  readonly claim: PersistentVolumeClaim;
  readonly reason: 'NotCondemned';
}

/** Leave what is wrong to the stock controller for now, and look again after `delay`. */
export interface LeaveDecision {
  readonly kind: 'leave';
  /**
   * UID of the owner that the claim should have; `none` if it should have none of ours; `mark` or `tie` if it
   * lacks that.
   */
  readonly wanted: string;
  /** In milliseconds. */
  readonly delay: number;
  readonly reason: 'StockController';
}

export type Decision =
  | NoneDecision
  | LeaveDecision
  /** The cache is behind, or the live look contradicts it. */
  | { readonly kind: 'lookAgain'; readonly reason: string }
  | WaitDecision
  | PostponeDecision
  /**
   * The action would lead to the claim's deletion: look at the workload, and at what else is named, and
   * decide again. The workload must be looked at last.
   */
  | { readonly kind: 'askLive'; readonly about: 'workload' | 'pod' | 'users' }
  | OwnersDecision
  | MarkDecision
  | UnmarkDecision
  | TieDecision
  | UntieDecision
  | DeleteDecision;
