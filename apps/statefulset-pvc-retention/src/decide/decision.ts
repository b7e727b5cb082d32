import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';

/** Writes the claim's owner references, all at once, so that there is never a second controller. */
export interface OwnersDecision {
  readonly kind: 'setOwners';
  readonly operation: 'add' | 'swap' | 'remove';
  readonly claim: PersistentVolumeClaim;
  readonly references: readonly OwnerReference[];
  /** Whose reference is added; undefined: none is. */
  readonly owner: OwnerReference | undefined;
  readonly reason:
    | 'DeletedWithWorkload'
    | 'ScaledDown'
    | 'PolicyRetains'
    | 'OrdinalWanted'
    | 'ForeignController'
    | 'WorkloadOrphans'
    | 'NoLongerSo'
    | 'PodOrphaned';
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
    /** A stock controller deletes without regard to the undo window, and an Event on the workload says so. */
    | 'WindowNotHeld';
}

/** Takes the claim's time of deletion away. */
export interface UnmarkDecision {
  readonly kind: 'unmark';
  readonly claim: PersistentVolumeClaim;
  readonly reason: 'NotCondemned';
}

/** What is wrong is left to the stock controller for now: look again after `delay`. */
export interface LeaveDecision {
  readonly kind: 'leave';
  /** UID of the owner that the claim should have; `none`: it should have none of ours; `mark`: it should be marked. */
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
  /** Decide again then, and not before; milliseconds since 1970. */
  | { readonly kind: 'wait'; readonly until: number; readonly reason: 'Grace' }
  /**
   * A pod that only the API server shows uses the claim. It might be gone before the cache ever has it, and no event would
   * come: the claim is to be looked at again by time.
   */
  | { readonly kind: 'postpone'; readonly reason: 'InUse' }
  /**
   * What is to be done would lead to the claim's deletion: look at the workload, and at what else is named, and decide again.
   * The workload is to be looked at last.
   */
  | { readonly kind: 'askLive'; readonly about: 'workload' | 'pod' | 'users' }
  | OwnersDecision
  | {
      readonly kind: 'mark';
      readonly claim: PersistentVolumeClaim;
      /** RFC 3339. */
      readonly deleteAfter: string;
      readonly reason: 'ScaledDown';
    }
  | UnmarkDecision
  | {
      readonly kind: 'deleteClaim';
      readonly claim: PersistentVolumeClaim;
      readonly reason: 'GraceOver' | 'ScaleDownMissed';
    };
