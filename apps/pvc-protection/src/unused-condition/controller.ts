import {
  isTerminated,
  objectKey,
  persistentVolumeClaims,
  type JsonPatch,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import {
  createController,
  createControllerMetrics,
  createWorkQueueMetrics,
  guardedWrite,
  resultOfWrite,
  seenOnlyLiveDelay,
  type ApiClient,
  type Clock,
  type Controller,
  type ControllerOptions,
  type Informer,
  type ReconcileResult,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { StillListing, type LiveLookup } from '../live-lookup.ts';
import { claimKeysOf } from '../decide/pod-claims.ts';
import { removeConditionPatch, setConditionPatch } from './condition-patch.ts';
import { patchedClaim } from '../slim.ts';
import { conditionType, decideUnused } from './decide.ts';

const name = 'claim-unused-condition';

export interface UnusedConditionOptions {
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly pods: Informer<Pod>;
  readonly podsNaming: (claim: ObjectKey) => readonly Pod[];
  /** How claims are grouped, and what the claims of a batch share. */
  readonly batches: Pick<Required<ControllerOptions<LiveLookup>>, 'groupOf' | 'openBatch'>;
  /** Gate ClaimUnusedCondition; off: what it put on claims is taken back. */
  readonly enabled: boolean;
  readonly concurrentSyncs: number;
  readonly clock: Clock;
  /** Wall clock for the time in the condition. */
  readonly now: () => Date;
}

/**
 * Keeps condition `Unused` in the status of claims. What wakes a claim:
 * - the claim, added or changed, when it lacks the condition (gate off: when it has one);
 * - the start of the controller, when the condition says that the claim is used;
 * - a pod that names it, added, deleted, or terminated.
 */
export function createUnusedConditionController(options: UnusedConditionOptions): Controller {
  const { client, logger, registry, claims, pods, podsNaming, batches, enabled, clock, now } = options;

  const patch = async (
    claim: PersistentVolumeClaim,
    operations: JsonPatch,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const written = await guardedWrite(() =>
      client.patch(persistentVolumeClaims, claim.metadata, operations, {
        subresource: 'status',
        projection: patchedClaim,
        signal,
      }),
    );
    return resultOfWrite(written);
  };

  const judge = async (key: ObjectKey, batch: LiveLookup, signal: AbortSignal): Promise<ReconcileResult> => {
    let livePods: readonly Pod[] | undefined;
    for (;;) {
      const claim = claims.store.get(key);
      const decision = decideUnused({ claim, cachedPods: podsNaming(key), livePods, enabled });
      switch (decision.kind) {
        case 'none':
          return seenOnlyLive(livePods);
        case 'askPods':
          livePods = (await batch.podsNaming(decision.claim, signal)).pods;
          break;
        case 'set': {
          const { claim, state } = decision;
          const result = await patch(claim, setConditionPatch(claim, state, now()), signal);
          return result.kind === 'done' && state.status === 'False' ? seenOnlyLive(livePods) : result;
        }
        case 'remove':
          return patch(decision.claim, removeConditionPatch(decision.claim), signal);
      }
    }
  };

  const controller = createController({
    name,
    logger,
    clock,
    metrics: createControllerMetrics(registry, name),
    queueMetrics: createWorkQueueMetrics(registry, name),
    concurrency: options.concurrentSyncs,
    ...batches,
    reconcile: async (key: ObjectKey, batch: LiveLookup, signal) => {
      try {
        return await judge(key, batch, signal);
      } catch (error) {
        if (error instanceof StillListing) {
          return { kind: 'requeueAfter', delay: error.delay };
        }
        throw error;
      }
    },
  });
  const { queue } = controller;
  const wakeClaim = (claim: PersistentVolumeClaim, initial: boolean): void => {
    const present = claim.status?.conditions?.find(({ type }) => type === conditionType);
    const has = present !== undefined;
    // Of a pod that went while no controller ran no event tells.
    if (has !== enabled || (initial && present?.status === 'False')) {
      queue.add(objectKey(claim), initial ? 'initial' : 'event');
    }
  };
  claims.addHandler({ added: wakeClaim, updated: (_before, after) => wakeClaim(after, false) });
  if (enabled) {
    const wakeNamed = (pod: Pod): void => {
      claimKeysOf(pod).forEach((key) => queue.add(key));
    };
    pods.addHandler({
      added: wakeNamed,
      updated: (before, after) => {
        if (isTerminated(before) !== isTerminated(after)) {
          wakeNamed(after);
        }
      },
      deleted: wakeNamed,
    });
  }
  return controller;
}

/** A pod that the cache does not have might go without an event, so that the claim must be looked at again. */
function seenOnlyLive(livePods: readonly Pod[] | undefined): ReconcileResult {
  return livePods === undefined ? { kind: 'done' } : { kind: 'requeueAfter', delay: seenOnlyLiveDelay };
}
