import type { PersistentVolume } from '@holdfast/core';
import type { AwayKeeper, Observation, OurKeeper, UnreadableVolume } from './snapshot.ts';

/** A decision to do nothing also has a reason. */
export interface Nothing {
  readonly kind: 'none';
  readonly reason:
    | 'VolumeGone'
    | 'NotOurs'
    | 'NotHeld'
    | 'PolicyUnknown'
    | 'NeverBound'
    | 'Held'
    | 'NobodyCanDelete'
    | 'NotReleasedYet'
    | 'StorageDeleted'
    | 'LeftToProvisioner';
}

/** Finalizers to add and to remove in one write. */
export interface FinalizerChange {
  readonly kind: 'changeFinalizers';
  readonly volume: PersistentVolume;
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly reason:
    'Bound' | 'Migrated' | 'Renamed' | 'GateOff' | 'PolicyNotDelete' | 'NeverBound' | 'NobodyCanDelete';
}

/**
 * The storage might be left behind: either the deletion was requested before the finalizer was there, and
 * none can be added any more, or nothing deletes storage of this kind.
 */
export interface LeakWarning {
  readonly kind: 'warnOfLeak';
  readonly volume: PersistentVolume;
  readonly reason: 'TerminatingUnheld' | 'NobodyCanDelete';
}

/**
 * The volume is held, and waits for a keeper that is not here, or not connected any more, or for a reclaim
 * policy that says what to do with it.
 */
export type StuckWarning = {
  readonly kind: 'warnOfStuck';
  readonly volume: PersistentVolume;
} & (
  | { readonly reason: 'KeeperAway'; readonly keeper: AwayKeeper }
  | { readonly reason: 'DriverAway'; readonly keeper: OurKeeper }
  | { readonly reason: 'PolicyUnknown'; readonly held: readonly string[] }
);

/**
 * According to the cache the volume can be reclaimed. That is no proof: ask the API server, then decide
 * again.
 */
export interface ServerQuestion {
  readonly kind: 'askServer';
  readonly volume: PersistentVolume;
  readonly reason: 'ReleasedInCache' | 'UndoWindowInCache' | 'MarkInCache';
}

/**
 * The reclaim waits. An obstacle in the cache wakes the volume when it ends; one that only the API server has
 * might never reach the cache.
 */
export interface Postponement {
  readonly kind: 'postpone';
  readonly volume: PersistentVolume;
  readonly reason:
    'Attached' | 'StorageShared' | 'ClaimLives' | 'ClaimBound' | 'BoundElsewhere' | 'ClaimsUnlisted';
  /** The names of nodes, volumes or namespaces, or the UID or key of the claim that exists or is bound. */
  readonly by: readonly string[];
  readonly source: Observation['source'];
}

/**
 * Another volume cannot be read, and might use the same storage. Nothing is deleted until that volume is
 * repaired or gone.
 */
export interface Refusal {
  readonly kind: 'refuse';
  readonly volume: PersistentVolume;
  readonly keeper: OurKeeper;
  readonly unreadable: UnreadableVolume;
  readonly reason: 'UnreadableVolume';
}

/** Delete the storage, and then do what {@link Finish} says. */
export interface Reclaim {
  readonly kind: 'reclaim';
  readonly volume: PersistentVolume;
  readonly keeper: OurKeeper;
  /** The other volumes over the storage; none of them needs it. */
  readonly others: readonly PersistentVolume[];
  readonly reason: 'Released';
}

/**
 * The storage is gone, so there is no reason to hold the volume any more: delete the object, and remove our
 * finalizers.
 */
export interface Finish {
  readonly kind: 'finish';
  readonly volume: PersistentVolume;
  readonly keeper: OurKeeper;
  readonly reason: 'StorageDeleted';
}

/** Start the undo window of a released volume: its storage is deleted no sooner. */
export interface Marking {
  readonly kind: 'mark';
  readonly volume: PersistentVolume;
  /** Milliseconds since 1970. */
  readonly due: number;
  readonly reason: 'Released';
}

/** Remove the volume's mark, which has no meaning, or no longer has one. */
export interface Unmarking {
  readonly kind: 'unmark';
  readonly volume: PersistentVolume;
  readonly reason:
    'GateOff' | 'PolicyNotDelete' | 'NotReleased' | 'LeftToProvisioner' | 'WindowUnusable' | 'MarkOfAnother';
}

/**
 * A claim asks for the volume again in its undo window: make `claimRef` name the claim, without the UID of
 * the old one.
 */
export interface GivingBack {
  readonly kind: 'giveBack';
  readonly volume: PersistentVolume;
  /**
   * UID of the claim if that says that it is bound to the volume already, as one that comes back from a file does:
   * the volume binder calls it Lost unless its UID is in `claimRef`. Otherwise undefined, and the binder decides.
   */
  readonly boundUid: string | undefined;
  readonly reason: 'AskedBack';
}

/** The undo window is open, or unusable. */
export interface Waiting {
  readonly kind: 'wait';
  /** Time until the volume is looked at again, in milliseconds. */
  readonly delay: number;
  readonly reason: 'WindowOpen' | 'WindowUnusable';
}

/** The undo window is over: delete the object before its storage; the finalizer holds it meanwhile. */
export interface ObjectDeletion {
  readonly kind: 'deleteObject';
  readonly volume: PersistentVolume;
  readonly reason: 'WindowOver';
}

/** What to do about the finalizers. */
export type HoldDecision = Nothing | FinalizerChange | LeakWarning | StuckWarning;

/** What to do with a volume that is held as it should be. */
export type ReclaimDecision =
  Nothing | Postponement | Refusal | ServerQuestion | ObjectDeletion | Reclaim | Finish;

/** What the undo window requires for a volume. */
export type UndoDecision = ServerQuestion | Marking | Unmarking | GivingBack | Waiting;

export type Decision = HoldDecision | ReclaimDecision | UndoDecision;
