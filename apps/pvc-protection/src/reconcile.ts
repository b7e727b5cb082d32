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
import { decide, type Decision, type Live, type Snapshot } from './decide.ts';
import type { LiveLookup } from './live-lookup.ts';
import type { Metrics } from './metrics.ts';

export interface ReconcileOptions {
  readonly client: ApiClient;
  readonly claims: Store<PersistentVolumeClaim>;
  /** The cached pods that name a claim. */
  readonly podsNaming: (claim: ObjectKey) => readonly Pod[];
  /** The nodes to which the claim's volume is attached, by the cache. */
  readonly nodesAttachedTo: (claim: PersistentVolumeClaim) => ReadonlySet<string>;
  /** Gate StorageObjectInUseProtection. */
  readonly protect: boolean;
  /** Gate WaitForVolumeDetach. */
  readonly waitForDetach: boolean;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** When to look again at a claim held by a pod that the cache does not have, milliseconds. */
const unseenPodDelay = 5_000;

/** Takes a snapshot, has it decided on, and carries the answer out. */
export function createReconcile(options: ReconcileOptions) {
  const { client, claims, podsNaming, nodesAttachedTo, protect, waitForDetach, logger, metrics } = options;

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
    decision: Exclude<Decision, { kind: 'askPods' | 'askAttachments' }>,
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

  const snapshotOf = (key: ObjectKey, live: Live | undefined): Snapshot => {
    const claim = claims.get(key);
    return {
      claim,
      cachedPods: podsNaming(key),
      cachedNodes: claim === undefined ? new Set() : nodesAttachedTo(claim),
      live,
      protect,
      waitForDetach,
    };
  };

  return async (key: ObjectKey, batch: LiveLookup, signal: AbortSignal): Promise<ReconcileResult> => {
    let live: Live | undefined;
    for (;;) {
      const decision = decide(snapshotOf(key, live));
      switch (decision.kind) {
        case 'askPods': {
          const { claim } = decision;
          live = {
            claimUid: claim.metadata.uid,
            pods: await batch.podsNaming(claim, signal),
            nodes: undefined,
          };
          break;
        }
        case 'askAttachments': {
          const { claim } = decision;
          const nodes = await batch.nodesAttachedTo(claim, signal);
          live = { claimUid: claim.metadata.uid, pods: live?.pods ?? [], nodes };
          break;
        }
        default:
          return carryOut(decision, key, signal);
      }
    }
  };
}

const messages = { add: 'Finalizer added', remove: 'Finalizer removed' } as const;
