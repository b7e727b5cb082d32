import type { ObjectKey, PersistentVolume } from '@holdfast/core';
import type { ReconcileResult, Store } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { decide } from './decide.ts';
import type { Decision, ServerQuestion } from './decide/decision.ts';
import type { Observation } from './decide/snapshot.ts';
import type { SettleUndo } from './settle-undo.ts';
import type { TakeSnapshot } from './take-snapshot.ts';

export interface UndoReconcileOptions {
  readonly volumes: Pick<Store<PersistentVolume>, 'get'>;
  readonly observeInCache: (cached: PersistentVolume | undefined) => Observation;
  readonly takeSnapshot: TakeSnapshot;
  readonly settleUndo: SettleUndo;
  readonly logger: Pick<Logger, 'debug'>;
}

/** Returns whether the API server is to be asked about an undo window or its mark. */
export function isAboutUndo(decision: Decision): decision is ServerQuestion {
  return decision.kind === 'askServer' && decision.reason !== 'ReleasedInCache';
}

/**
 * Creates the reconcile for volumes whose undo window is to begin, whose mark is to go, or that are to be given
 * back. It has a queue of its own, since each of them takes several requests and a share of lists of all
 * attachments and volumes: thousands can be released together, and no finalizer waits for them. Nor do they wait
 * for a driver.
 */
export function createUndoReconcile(options: UndoReconcileOptions) {
  const { volumes, observeInCache, takeSnapshot, settleUndo, logger } = options;
  return async (key: ObjectKey, _batch: unknown, signal: AbortSignal): Promise<ReconcileResult> => {
    const decision = decide(takeSnapshot(observeInCache(volumes.get(key))));
    if (isAboutUndo(decision)) {
      return settleUndo(decision, signal);
    }
    // The change that has settled it also wakes it in the queue that it came from.
    logger.debug({ key, decision: decision.kind }, 'Undo window is settled');
    return { kind: 'done' };
  };
}
