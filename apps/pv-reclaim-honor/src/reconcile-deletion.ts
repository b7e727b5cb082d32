import { objectKey, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import { openLook, seenOnlyLiveDelay, type ReconcileResult, type Store } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { decide } from './decide.ts';
import type { Decision, ServerQuestion } from './decide/decision.ts';
import type { Observation, OurKeeper, Snapshot } from './decide/snapshot.ts';
import type { DeletionProgress } from './deletion-progress.ts';
import type { VolumeWarnings } from './volume-warnings.ts';
import { NoTurnError, type InTurn } from './in-tree/line.ts';
import type { Reclaimer } from './reclaim.ts';
import type { TakeSnapshot } from './take-snapshot.ts';
import { waitForUndo } from './settle-undo.ts';
import type { WriteUndo } from './undo/undo-writer.ts';
import type { VolumeDeleter } from './volume-deleter.ts';
import { warnedLook, type ObserveOnServer } from './warned-look.ts';

export interface DeletionReconcileOptions {
  readonly volumes: Pick<Store<PersistentVolume>, 'get'>;
  readonly observeInCache: (cached: PersistentVolume | undefined) => Observation;
  readonly observeOnServer: ObserveOnServer;
  readonly takeSnapshot: TakeSnapshot;
  /** Returns whether the keeper can be asked now. When it can be asked again, its volumes are woken. */
  readonly isReady: (keeper: OurKeeper) => boolean;
  readonly progress: Pick<DeletionProgress, 'wait' | 'lookAge'>;
  readonly deleter: Pick<VolumeDeleter, 'prepare'>;
  readonly reclaimer: Reclaimer;
  readonly writeUndo: WriteUndo;
  readonly warnings: Pick<VolumeWarnings, 'warn' | 'goesOn'>;
  /** Runs deletions of folders, which share their look at all folders. */
  readonly inTreeTogether: InTurn;
  readonly logger: Logger;
}

/** The delay after a deletion that was not begun because others took long, in milliseconds. */
const noTurnDelay = 100;

/** Returns whether the volume is to be reclaimed according to the cache; the API server is then asked. */
export function isToBeReclaimed(decision: Decision): decision is ServerQuestion {
  return decision.kind === 'askServer' && decision.reason === 'ReleasedInCache';
}

/**
 * Creates the reconcile for the volumes of one keeper: it deletes a volume if the API server itself shows
 * that it is to be deleted, and finishes what was begun. It does not decide whether the volume is held.
 */
export function createDeletionReconcile(options: DeletionReconcileOptions) {
  const { volumes, observeInCache, observeOnServer, takeSnapshot, isReady } = options;
  const { progress, deleter, reclaimer, writeUndo, warnings, inTreeTogether, logger } = options;

  const snapshotOf = (key: ObjectKey): Snapshot => takeSnapshot(observeInCache(volumes.get(key)));

  const lookAndCarryOut = async (
    cached: PersistentVolume,
    keeper: OurKeeper,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const { name, uid } = cached.metadata;
    const deletion = await deleter.prepare(cached, keeper, signal);
    const look = openLook({ maxAge: progress.lookAge(uid, keeper.name) });
    const answer = decide(
      takeSnapshot(await warnedLook(cached, { look, signal }, { observeOnServer, warnings })),
    );
    if (answer.kind !== 'postpone') {
      warnings.goesOn(uid);
    }
    switch (answer.kind) {
      case 'reclaim':
        return reclaimer.reclaim(answer, { deletion, look }, signal);
      case 'finish':
        return reclaimer.finish(answer, signal);
      case 'refuse':
        return reclaimer.refuse(answer);
      case 'postpone':
        logger.info({ volume: name, reason: answer.reason, by: answer.by }, 'Reclaim postponed');
        warnings.warn(answer);
        return { kind: 'requeueAfter', delay: seenOnlyLiveDelay };
      case 'none':
      case 'changeFinalizers':
      case 'warnOfLeak':
      case 'warnOfStuck':
        // The volume itself differs from the one in the cache. Its change will arrive there and wake it.
        logger.debug({ volume: name, reason: answer.reason }, 'Volume has changed');
        return { kind: 'done' };
      case 'deleteObject':
        // The look can be minutes old where looks take long. Once the object is deleted, a claim that asks
        // for the volume comes too late.
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
        throw new Error(`volume ${name}: the API server was asked, but the decision is to ask it again`);
    }
  };

  return async (keeperName: string, key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult> => {
    const snapshot = snapshotOf(key);
    const { keeper } = snapshot;
    if (keeper.kind === 'foreign' || keeper.kind === 'away' || keeper.name !== keeperName) {
      // The change that gave it another keeper has woken it, and hands it over to that one.
      return { kind: 'done' };
    }
    const decision = decide(snapshot);
    if (decision.kind === 'finish') {
      return reclaimer.finish(decision, signal);
    }
    if (decision.kind === 'wait') {
      // A clock was set back since the volume was handed over, and no event reports that.
      return waitForUndo(decision);
    }
    if (!isToBeReclaimed(decision)) {
      return { kind: 'done' };
    }
    if (!isReady(keeper)) {
      return warnings.warn({ kind: 'warnOfStuck', volume: decision.volume, keeper, reason: 'DriverAway' });
    }
    const wait = progress.wait(decision.volume.metadata.uid);
    if (wait > 0) {
      // A driver can hang with hundreds of its volumes, each until the timeout, and answer for all others.
      return { kind: 'requeueAfter', delay: wait, behind: true };
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
