import {
  addFinalizerPatch,
  finalizers,
  parseKey,
  persistentVolumeClaims,
  removeFinalizerPatch,
  type JsonPatch,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import {
  isConflict,
  isInvalid,
  isNotFound,
  type ApiClient,
  type ReconcileResult,
  type Store,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import { decide, type Decision, type LivePods } from './decide.ts';
import type { LivePodsLookup } from './live-pods.ts';
import type { Metrics } from './metrics.ts';

export interface ReconcileOptions {
  readonly client: ApiClient;
  readonly claims: Store<PersistentVolumeClaim>;
  /** The cached pods that name a claim. */
  readonly podsNaming: (claim: ObjectKey) => readonly Pod[];
  /** Gate StorageObjectInUseProtection. */
  readonly protect: boolean;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** When to look again at a claim held by a pod that the cache does not have, milliseconds. */
const unseenPodDelay = 5_000;

/** Takes a snapshot, has it decided on, and carries the answer out. */
export function createReconcile(options: ReconcileOptions) {
  const { client, claims, podsNaming, protect, logger, metrics } = options;

  const patch = async (
    operation: 'add' | 'remove',
    claim: PersistentVolumeClaim,
    operations: JsonPatch,
    reason: string,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const { namespace, name } = claim.metadata;
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    try {
      await client.patch(persistentVolumeClaims, ref, operations, { signal });
    } catch (error) {
      if (isNotFound(error)) {
        metrics.finalizer(operation, 'gone');
        return { kind: 'done' };
      }
      if (isConflict(error) || isInvalid(error)) {
        metrics.finalizer(operation, 'conflict');
        return { kind: 'lookAgain', reason: error.message };
      }
      metrics.finalizer(operation, 'error');
      throw error;
    }
    metrics.finalizer(operation, 'success');
    logger.info({ namespace, claim: name, finalizer: finalizers.pvcProtection, reason }, messages[operation]);
    return { kind: 'done' };
  };

  const carryOut = async (
    decision: Exclude<Decision, { kind: 'askLive' }>,
    key: ObjectKey,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    switch (decision.kind) {
      case 'none':
        logger.debug({ key, reason: decision.reason }, 'Nothing to do');
        return { kind: 'done' };
      case 'postpone': {
        const { namespace, name } = parseKey(key);
        logger.info(
          { namespace, claim: name, pods: decision.pods, reason: decision.reason },
          'Deletion postponed',
        );
        return decision.seen === 'cache' ? { kind: 'done' } : { kind: 'requeueAfter', delay: unseenPodDelay };
      }
      case 'addFinalizer': {
        const { claim, reason } = decision;
        return patch('add', claim, addFinalizerPatch(claim, finalizers.pvcProtection), reason, signal);
      }
      case 'removeFinalizer': {
        const { claim, reason } = decision;
        return patch('remove', claim, removeFinalizerPatch(claim, finalizers.pvcProtection), reason, signal);
      }
    }
  };

  return async (key: ObjectKey, batch: LivePodsLookup, signal: AbortSignal): Promise<ReconcileResult> => {
    let live: LivePods | undefined;
    for (;;) {
      const decision = decide({ claim: claims.get(key), cachedPods: podsNaming(key), live, protect });
      if (decision.kind !== 'askLive') {
        return carryOut(decision, key, signal);
      }
      live = await batch.podsNaming(decision.claim, signal);
    }
  };
}

const messages = { add: 'Finalizer added', remove: 'Finalizer removed' } as const;
