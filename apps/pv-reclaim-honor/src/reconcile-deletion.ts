import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import { openLook, seenOnlyLiveDelay, type ReconcileResult, type Store } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { decide } from './decide.ts';
import type { Decision, ServerQuestion } from './decide/decision.ts';
import type { Observation, OurKeeper, Snapshot } from './decide/snapshot.ts';
import type { DeletionProgress } from './deletion-progress.ts';
import { NoTurnError, type InTurn } from './in-tree/line.ts';
import type { ServerObservationOptions } from './observe/server.ts';
import type { Reclaimer } from './reclaim.ts';
import type { TakeSnapshot } from './take-snapshot.ts';
import { waitForUndo } from './settle-undo.ts';
import type { WriteUndo } from './undo/undo-writer.ts';
import type { VolumeDeleter } from './volume-deleter.ts';

export interface DeletionReconcileOptions {
  readonly volumes: Pick<Store<PersistentVolume>, 'get'>;
  readonly observeInCache: (cached: PersistentVolume | undefined) => Observation;
  readonly observeOnServer: (volumeName: string, options: ServerObservationOptions) => Promise<Observation>;
  readonly takeSnapshot: TakeSnapshot;
  /** Whether the keeper can be asked now. When it can be again, its volumes are woken. */
  readonly isReady: (keeper: OurKeeper) => boolean;
  readonly progress: Pick<DeletionProgress, 'wait' | 'lookAge'>;
  readonly deleter: Pick<VolumeDeleter, 'prepare'>;
  readonly reclaimer: Reclaimer;
  readonly writeUndo: WriteUndo;
  /** Deletions of folders, which share what they look at. */
  readonly inTreeTogether: InTurn;
  readonly logger: Logger;
}

/** After a deletion was not begun since others took long, milliseconds. */
const noTurnDelay = 100;

/** Whether, by the cache, the volume is to be reclaimed, which the API server is then asked about. */
export function isToBeReclaimed(decision: Decision): decision is ServerQuestion {
  return decision.kind === 'askServer' && decision.reason === 'ReleasedInCache';
}

/**
 * Deletes a volume of one keeper, if by the API server itself it is to be deleted, and finishes what was begun. Whether it is held is
 * not its business.
 */
export function createDeletionReconcile(options: DeletionReconcileOptions) {
  const { volumes, observeInCache, observeOnServer, takeSnapshot, isReady } = options;
  const { progress, deleter, reclaimer, writeUndo, inTreeTogether, logger } = options;

  const snapshotOf = (key: ObjectKey): Snapshot => takeSnapshot(observeInCache(volumes.get(key)));

  const lookAndCarryOut = async (
    cached: PersistentVolume,
    keeper: OurKeeper,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const { name, uid } = cached.metadata;
    const deletion = await deleter.prepare(cached, keeper, signal);
    const look = openLook({ maxAge: progress.lookAge(uid, keeper.name) });
    const answer = decide(takeSnapshot(await observeOnServer(name, { look, signal })));
    switch (answer.kind) {
      case 'reclaim':
        return reclaimer.reclaim(answer, { deletion, look }, signal);
      case 'finish':
        return reclaimer.finish(answer, signal);
      case 'refuse':
        return reclaimer.refuse(answer);
      case 'postpone':
        logger.info({ volume: name, reason: answer.reason, by: answer.by }, 'Reclaim postponed');
        return { kind: 'requeueAfter', delay: seenOnlyLiveDelay };
      case 'none':
      case 'changeFinalizers':
      case 'warnOfLeak':
      case 'warnOfStuck':
        // The volume itself is not as the cache has it. Its change is on its way there, and wakes it.
        logger.debug({ volume: name, reason: answer.reason }, 'Volume has changed');
        return { kind: 'done' };
      case 'deleteObject':
        // The look may be minutes old where looks take long, and a claim that asks for the volume comes too late once the object is deleted.
        return writeUndo(answer, {
          look: { ...look, stillHolds: () => isToBeReclaimed(decide(snapshotOf(objectKey(cached)))) },
          signal,
        });
      case 'mark':
      case 'unmark':
      case 'giveBack':
        return writeUndo(answer, { look, signal });
      case 'wait':
        return waitForUndo(answer);
      case 'askServer':
        throw new Error(`volume ${name}: the API server was asked, and is to be asked again`);
    }
  };

  return async (keeperName: string, key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult> => {
    const snapshot = snapshotOf(key);
    const { keeper } = snapshot;
    if (keeper.kind === 'foreign' || keeper.kind === 'away' || keeper.name !== keeperName) {
      // The change that made it another's has woken it, and it is handed over to that one.
      return { kind: 'done' };
    }
    const decision = decide(snapshot);
    if (decision.kind === 'finish') {
      return reclaimer.finish(decision, signal);
    }
    if (decision.kind === 'wait') {
      // A clock was set back since the volume was handed over, of which no event tells.
      return waitForUndo(decision);
    }
    if (!isToBeReclaimed(decision) || !isReady(keeper)) {
      return { kind: 'done' };
    }
    const wait = progress.wait(decision.volume.metadata.uid);
    if (wait > 0) {
      return { kind: 'requeueAfter', delay: wait };
    }
    const look = (): Promise<ReconcileResult> => lookAndCarryOut(decision.volume, keeper, signal);
    if (keeper.kind === 'csi') {
      return look();
    }
    try {
      return await inTreeTogether(look);
    } catch (error) {
      if (!(error instanceof NoTurnError)) {
        throw error;
      }
      logger.debug({ volume: key, reason: error.message }, 'Deletion put off');
      return { kind: 'requeueAfter', delay: noTurnDelay };
    }
  };
}
