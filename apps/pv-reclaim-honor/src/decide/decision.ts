import type { PersistentVolume } from '@holdfast/core';
import type { Observation, OurKeeper } from './snapshot.ts';

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
  readonly reason: 'Bound' | 'Migrated' | 'GateOff' | 'PolicyNotDelete' | 'NeverBound';
}

/** Deletion was asked for before the finalizer was there, and none can be added any more. */
export interface LeakWarning {
  readonly kind: 'warnOfLeak';
  readonly volume: PersistentVolume;
  readonly reason: 'TerminatingUnheld';
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
export type HoldDecision = Nothing | FinalizerChange | LeakWarning;

/** What becomes of a volume that is held as it should be. */
export type ReclaimDecision = Nothing | Postponement | ServerQuestion | Reclaim | Finish;

export type Decision = HoldDecision | ReclaimDecision;
