import type { PersistentVolume } from '@holdfast/core';
import type { AwayKeeper, Observation, OurKeeper } from './snapshot.ts';

/** Doing nothing has a reason too. */
export interface Nothing {
  readonly kind: 'none';
  readonly reason:
    | 'VolumeGone'
    | 'NotOurs'
    | 'NotHeld'
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

/** The volume waits for a keeper that is not here. */
export interface StuckWarning {
  readonly kind: 'warnOfStuck';
  readonly volume: PersistentVolume;
  readonly keeper: AwayKeeper;
  readonly reason: 'KeeperAway';
}

/** By the cache the volume is to be reclaimed, which is no proof: ask the API server, then decide again. */
export interface ServerQuestion {
  readonly kind: 'askServer';
  readonly volume: PersistentVolume;
  readonly reason: 'ReleasedInCache';
}

/** Reclaim waits. What the cache has wakes the volume by its end; what only the API server has might never reach the cache. */
export interface Postponement {
  readonly kind: 'postpone';
  readonly reason: 'Attached' | 'StorageShared' | 'ClaimLives';
  /** Nodes, volumes, or the claim. */
  readonly by: readonly string[];
  readonly source: Observation['source'];
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

/** What becomes of the finalizers. */
export type HoldDecision = Nothing | FinalizerChange | LeakWarning | StuckWarning;

/** What becomes of a volume that is held as it should be. */
export type ReclaimDecision = Nothing | Postponement | ServerQuestion | Reclaim | Finish;

export type Decision = HoldDecision | ReclaimDecision;
