import type { ObjectKey, PersistentVolume } from '@holdfast/core';
import type { ReconcileResult, Store } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { decide } from './decide.ts';
import type { FinalizerChange } from './decide/decision.ts';
import type { Observation } from './decide/snapshot.ts';
import type { DeletionQueues } from './deletion-queues.ts';
import type { LeakWarnings } from './leak-warnings.ts';
import { patience, type OwnWrites } from './own-writes.ts';
import type { TakeSnapshot } from './take-snapshot.ts';

export interface ReconcileOptions {
  readonly volumes: Pick<Store<PersistentVolume>, 'get'>;
  /** Observes a volume of the cache, which might have none. */
  readonly observeInCache: (cached: PersistentVolume | undefined) => Observation;
  readonly takeSnapshot: TakeSnapshot;
  readonly ownWrites: Pick<OwnWrites, 'isBehind'>;
  readonly changeFinalizers: (change: FinalizerChange, signal: AbortSignal) => Promise<ReconcileResult>;
  readonly leaks: Pick<LeakWarnings, 'warn'>;
  readonly deletions: Pick<DeletionQueues, 'add'>;
  readonly logger: Logger;
}

/**
 * Takes a snapshot of the cache, has it decided on, and carries the answer out: but what may take long, or waits for others than the
 * API server, is handed over to the queue of the volume's keeper, so that no finalizer waits for it.
 */
export function createReconcile(options: ReconcileOptions) {
  const { volumes, observeInCache, takeSnapshot, ownWrites, changeFinalizers, leaks, deletions, logger } =
    options;

  return async (key: ObjectKey, _batch: unknown, signal: AbortSignal): Promise<ReconcileResult> => {
    const cached = volumes.get(key);
    if (cached !== undefined && ownWrites.isBehind(cached)) {
      // The write wakes the volume when it comes. Should it never come, this does.
      return { kind: 'requeueAfter', delay: patience };
    }
    const snapshot = takeSnapshot(observeInCache(cached));
    const decision = decide(snapshot);
    switch (decision.kind) {
      case 'none':
        logger.debug({ key, reason: decision.reason }, 'Nothing to do');
        return { kind: 'done' };
      case 'postpone':
        logger.info({ volume: key, reason: decision.reason, by: decision.by }, 'Reclaim postponed');
        return { kind: 'done' };
      case 'changeFinalizers':
        return changeFinalizers(decision, signal);
      case 'warnOfLeak':
      case 'warnOfStuck':
        return leaks.warn(decision);
      case 'askServer':
      case 'finish':
        if (snapshot.keeper.kind !== 'foreign' && snapshot.keeper.kind !== 'away') {
          deletions.add(snapshot.keeper, key);
        }
        return { kind: 'done' };
      case 'reclaim':
        throw new Error(`volume ${key}: to be reclaimed by what the cache has, which is no proof`);
    }
  };
}
