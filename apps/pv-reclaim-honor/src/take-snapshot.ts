import type { PersistentVolume } from '@holdfast/core';
import type { Keeper, Mode, Observation, Snapshot } from './decide/snapshot.ts';
import type { DeletionProgress } from './deletion-progress.ts';

export interface SnapshotOptions {
  readonly keeperOf: (volume: PersistentVolume) => Keeper;
  readonly progress: Pick<DeletionProgress, 'isConfirmed'>;
  /** Gate HonorPVReclaimPolicy. */
  readonly honor: boolean;
  readonly mode: Mode;
}

/** Adds to what was observed of a volume what this process knows by itself. */
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
