import type { PersistentVolume } from '@holdfast/core';
import type { Keeper, Mode, Observation, Snapshot } from './decide/snapshot.ts';
import type { DeletionProgress } from './deletion-progress.ts';

export interface SnapshotOptions {
  readonly keeperOf: (volume: PersistentVolume) => Keeper;
  readonly progress: Pick<DeletionProgress, 'isConfirmed'>;
  /** Whether gate HonorPVReclaimPolicy is on. */
  readonly honor: boolean;
  readonly mode: Mode;
}

/** Adds what this process knows by itself to what was observed of a volume. */
export type TakeSnapshot = (observation: Observation) => Snapshot;

export function createTakeSnapshot({ keeperOf, progress, honor, mode }: SnapshotOptions): TakeSnapshot {
  return (observation) => {
    const { volume } = observation;
    return {
      ...observation,
      keeper: volume === undefined ? { kind: 'foreign' } : keeperOf(volume),
      storageDeleted: volume !== undefined && progress.isConfirmed(volume.metadata.uid),
      honor,
      mode,
    };
  };
}
