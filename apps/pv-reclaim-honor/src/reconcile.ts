import type { ObjectKey, PersistentVolume } from '@holdfast/core';
import type { ReconcileResult, Store, WorkQueue } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { decide } from './decide.ts';
import type { Decision, FinalizerChange } from './decide/decision.ts';
import type { Observation, Snapshot } from './decide/snapshot.ts';
import type { DeletionQueues } from './deletion-queues.ts';
import type { VolumeWarnings } from './volume-warnings.ts';
import { patience, type OwnWrites } from './own-writes.ts';
import type { TakeSnapshot } from './take-snapshot.ts';
import { isAboutUndo } from './reconcile-undo.ts';
import { waitForUndo } from './settle-undo.ts';

export interface ReconcileOptions {
  readonly volumes: Pick<Store<PersistentVolume>, 'get'>;
  /** Observes a volume of the cache, or its absence there. */
  readonly observeInCache: (cached: PersistentVolume | undefined) => Observation;
  readonly takeSnapshot: TakeSnapshot;
  readonly ownWrites: Pick<OwnWrites, 'isBehind'>;
  readonly changeFinalizers: (change: FinalizerChange, signal: AbortSignal) => Promise<ReconcileResult>;
  readonly warnings: Pick<VolumeWarnings, 'warn' | 'goesOn'>;
  readonly deletions: Pick<DeletionQueues, 'add'>;
  /** The queue of volumes about whose undo window the API server is to be asked. */
  readonly undoWindows: Pick<WorkQueue, 'add'>;
  /** Receives each volume from the cache before it is looked at. */
  readonly onLook: (cached: PersistentVolume) => void;
  readonly logger: Logger;
}

/**
 * How long a volume waits for claims that could not be listed, in milliseconds. It is woken when they are; that they
 * may not be read at all wakes nothing.
 */
const unlistedDelay = 30_000;

/**
 * Creates the reconcile: it takes a snapshot of the cache, has it decided on, and carries out the decision.
 * Whatever might take long is handed over, so that no finalizer waits for it: a deletion to the queue of the
 * volume's keeper, and what its undo window requires to the queue for that.
 */
export function createReconcile(options: ReconcileOptions) {
  const { volumes, observeInCache, takeSnapshot, ownWrites, changeFinalizers, warnings } = options;
  const { deletions, undoWindows, onLook, logger } = options;

  const handOver = ({ keeper }: Snapshot, key: ObjectKey): ReconcileResult => {
    if (keeper.kind !== 'foreign' && keeper.kind !== 'away') {
      deletions.add(keeper, key);
    }
    return { kind: 'done' };
  };

  return async (key: ObjectKey, _batch: unknown, signal: AbortSignal): Promise<ReconcileResult> => {
    const cached = volumes.get(key);
    if (cached !== undefined && ownWrites.isBehind(cached)) {
      // The write wakes the volume when it arrives. If it never does, this delay wakes it.
      return { kind: 'requeueAfter', delay: patience };
    }
    if (cached !== undefined) {
      onLook(cached);
    }
    const snapshot = takeSnapshot(observeInCache(cached));
    const decision = decide(snapshot);
    if (cached !== undefined && !mightWait(decision)) {
      warnings.goesOn(cached.metadata.uid);
    }
    switch (decision.kind) {
      case 'none':
        logger.debug({ key, reason: decision.reason }, 'Nothing to do');
        return { kind: 'done' };
      case 'postpone':
        logger.info({ volume: key, reason: decision.reason, by: decision.by }, 'Reclaim postponed');
        if (decision.reason === 'ClaimsUnlisted') {
          warnings.warn(decision);
          return { kind: 'requeueAfter', delay: unlistedDelay };
        }
        return warnings.warn(decision);
      case 'changeFinalizers':
        return changeFinalizers(decision, signal);
      case 'warnOfLeak':
      case 'warnOfStuck':
        return warnings.warn(decision);
      case 'wait':
        return waitForUndo(decision);
      case 'askServer':
        if (isAboutUndo(decision)) {
          undoWindows.add(key);
          return { kind: 'done' };
        }
        return handOver(snapshot, key);
      case 'finish':
        return handOver(snapshot, key);
      case 'mark':
      case 'unmark':
      case 'giveBack':
      case 'deleteObject':
      case 'refuse':
      case 'reclaim':
        throw new Error(`volume ${key}: ${decision.kind} was decided from the cache, which is no proof`);
    }
  };
}

/** Returns whether the volume waits, or whether the reconcile that it is handed over to can tell. */
function mightWait({ kind }: Decision): boolean {
  return kind === 'postpone' || kind === 'warnOfLeak' || kind === 'warnOfStuck' || kind === 'askServer';
}
