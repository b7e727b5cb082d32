import type { PersistentVolume } from '@holdfast/core';
import type { AwayKeeper, Observation, OurKeeper, UnreadableVolume } from './snapshot.ts';

/** Doing nothing has a reason too. */
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
    | 'LeftToProvisioner';
}

/** Finalizers that are to come and to go, in one write. */
export interface FinalizerChange {
  readonly kind: 'changeFinalizers';
  readonly volume: PersistentVolume;
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly reason:
    'Bound' | 'Migrated' | 'Renamed' | 'GateOff' | 'PolicyNotDelete' | 'NeverBound' | 'NobodyCanDelete';
}

/**
 * The storage may be left behind: deletion was asked for before the finalizer was there, and none can be added any more; or nothing
 * deletes storage of this kind.
 */
export interface LeakWarning {
  readonly kind: 'warnOfLeak';
  readonly volume: PersistentVolume;
  readonly reason: 'TerminatingUnheld' | 'NobodyCanDelete';
}

/** The volume is held, and waits for a keeper that is not here, or for a reclaim policy that says what is to become of it. */
export type StuckWarning = {
  readonly kind: 'warnOfStuck';
  readonly volume: PersistentVolume;
} & (
  | { readonly reason: 'KeeperAway'; readonly keeper: AwayKeeper }
  | { readonly reason: 'PolicyUnknown'; readonly held: readonly string[] }
);

/** By the cache the volume is to be reclaimed, which is no proof: ask the API server, then decide again. */
export interface ServerQuestion {
  readonly kind: 'askServer';
  readonly volume: PersistentVolume;
  readonly reason: 'ReleasedInCache' | 'UndoWindowInCache' | 'MarkInCache';
}

/** Reclaim waits. What the cache has wakes the volume by its end; what only the API server has might never reach the cache. */
export interface Postponement {
  readonly kind: 'postpone';
  readonly reason: 'Attached' | 'StorageShared' | 'ClaimLives';
  /** Nodes, volumes, or the claim. */
  readonly by: readonly string[];
  readonly source: Observation['source'];
}

/** Another volume can't be read, and might be over the same storage: nothing is deleted until it is mended or gone. */
export interface Refusal {
  readonly kind: 'refuse';
  readonly volume: PersistentVolume;
  readonly keeper: OurKeeper;
  readonly unreadable: UnreadableVolume;
  readonly reason: 'UnreadableVolume';
}

/** The storage is to be deleted, and then what {@link Finish} says is to be done. */
export interface Reclaim {
  readonly kind: 'reclaim';
  readonly volume: PersistentVolume;
  readonly keeper: OurKeeper;
  readonly reason: 'Released';
}

/** The storage is gone, so nothing is left to hold the volume for: delete the object, and take our finalizers off. */
export interface Finish {
  readonly kind: 'finish';
  readonly volume: PersistentVolume;
  readonly keeper: OurKeeper;
  readonly reason: 'StorageDeleted';
}

/** The undo window of a released volume begins: its storage is deleted no sooner. */
export interface Marking {
  readonly kind: 'mark';
  readonly volume: PersistentVolume;
  /** Milliseconds since 1970. */
  readonly due: number;
  readonly reason: 'Released';
}

/** The volume has a mark that has no meaning, or has lost it. */
export interface Unmarking {
  readonly kind: 'unmark';
  readonly volume: PersistentVolume;
  readonly reason:
    'GateOff' | 'PolicyNotDelete' | 'NotReleased' | 'LeftToProvisioner' | 'WindowUnusable' | 'MarkOfAnother';
}

/** The volume is asked for again in its undo window: its `claimRef` is to name the claim without the UID of the old one. */
export interface GivingBack {
  readonly kind: 'giveBack';
  readonly volume: PersistentVolume;
  readonly reason: 'AskedBack';
}

/** The undo window is open, or can't be had. */
export interface Waiting {
  readonly kind: 'wait';
  /** Until it is looked at again, milliseconds. */
  readonly delay: number;
  readonly reason: 'WindowOpen' | 'WindowUnusable';
}

/** The undo window is over: the object is deleted before its storage, and is held meanwhile. */
export interface ObjectDeletion {
  readonly kind: 'deleteObject';
  readonly volume: PersistentVolume;
  readonly reason: 'WindowOver';
}

/** What becomes of the finalizers. */
export type HoldDecision = Nothing | FinalizerChange | LeakWarning | StuckWarning;

/** What becomes of a volume that is held as it should be. */
export type ReclaimDecision =
  Nothing | Postponement | Refusal | ServerQuestion | ObjectDeletion | Reclaim | Finish;

/** What an undo window makes of a volume. */
export type UndoDecision = ServerQuestion | Marking | Unmarking | GivingBack | Waiting;

export type Decision = HoldDecision | ReclaimDecision | UndoDecision;
