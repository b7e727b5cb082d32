import type { ObjectKey, PersistentVolume } from '@holdfast/core';
import { seenOnlyLiveDelay, type ReconcileResult, type Store } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { decide } from './decide.ts';
import type { Decision, FinalizerChange } from './decide/decision.ts';
import type { Keeper, Mode, Observation, Snapshot } from './decide/snapshot.ts';
import type { DeletionProgress } from './deletion-progress.ts';
import type { LeakWarnings } from './leak-warnings.ts';
import type { OwnWrites } from './own-writes.ts';
import type { Reclaimer } from './reclaim.ts';

export interface ReconcileOptions {
  readonly volumes: Pick<Store<PersistentVolume>, 'get'>;
  /** Observes a volume of the cache, which might have none. */
  readonly observeInCache: (cached: PersistentVolume | undefined) => Observation;
  readonly observeOnServer: (volumeName: string, signal: AbortSignal) => Promise<Observation>;
  readonly keeperOf: (volume: PersistentVolume) => Keeper;
  /** Gate HonorPVReclaimPolicy. */
  readonly honor: boolean;
  readonly mode: Mode;
  readonly ownWrites: Pick<OwnWrites, 'isBehind'>;
  readonly progress: Pick<DeletionProgress, 'isConfirmed' | 'wait'>;
  readonly changeFinalizers: (change: FinalizerChange, signal: AbortSignal) => Promise<ReconcileResult>;
  readonly leaks: Pick<LeakWarnings, 'warn'>;
  readonly reclaimer: Reclaimer;
  readonly logger: Logger;
}

/** Takes a snapshot, has it decided on, and carries the answer out. */
export function createReconcile(options: ReconcileOptions) {
  const { volumes, observeInCache, observeOnServer, keeperOf, honor, mode } = options;
  const { ownWrites, progress, changeFinalizers, leaks, reclaimer, logger } = options;

  const snapshotOf = (observation: Observation): Snapshot => {
    const { volume } = observation;
    return {
      ...observation,
      keeper: volume === undefined ? { kind: 'foreign' } : keeperOf(volume),
      storageDeleted: volume !== undefined && progress.isConfirmed(volume.metadata.uid),
      honor,
      mode,
    };
  };

  const carryOut = async (
    decision: Exclude<Decision, { kind: 'askServer' }>,
    key: ObjectKey,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    switch (decision.kind) {
      case 'none':
        logger.debug({ key, reason: decision.reason }, 'Nothing to do');
        return { kind: 'done' };
      case 'postpone':
        logger.info({ volume: key, reason: decision.reason, by: decision.by }, 'Reclaim postponed');
        return decision.source === 'cache'
          ? { kind: 'done' }
          : { kind: 'requeueAfter', delay: seenOnlyLiveDelay };
      case 'changeFinalizers':
        return changeFinalizers(decision, signal);
      case 'warnOfLeak':
        return leaks.warn(decision.volume);
      case 'reclaim':
        return reclaimer.reclaim(decision, signal);
      case 'finish':
        return reclaimer.finish(decision, signal);
    }
  };

  return async (key: ObjectKey, _batch: unknown, signal: AbortSignal): Promise<ReconcileResult> => {
    const cached = volumes.get(key);
    if (cached !== undefined && ownWrites.isBehind(cached)) {
      return { kind: 'done' };
    }
    const decision = decide(snapshotOf(observeInCache(cached)));
    if (decision.kind !== 'askServer') {
      return carryOut(decision, key, signal);
    }
    const { name, uid } = decision.volume.metadata;
    const wait = progress.wait(uid);
    if (wait > 0) {
      return { kind: 'requeueAfter', delay: wait };
    }
    const answer = decide(snapshotOf(await observeOnServer(name, signal)));
    if (answer.kind === 'askServer') {
      throw new Error(`volume ${key}: the API server was asked, and is to be asked again`);
    }
    return carryOut(answer, key, signal);
  };
}
