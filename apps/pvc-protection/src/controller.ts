import {
  claimUses,
  finalizers,
  hasFinalizer,
  isTerminating,
  keyOf,
  objectKey,
  parseKey,
  persistentVolumeClaims,
  pods,
  type FeatureGates,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import {
  createController,
  createControllerMetrics,
  createInformer,
  createInformerMetrics,
  createWorkQueueMetrics,
  type ApiClient,
  type Controller,
  type Follower,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { usesClaim } from './decide.ts';
import type { GateName } from './gates.ts';
import { createLivePodsLookup } from './live-pods.ts';
import { createMetrics } from './metrics.ts';
import { createReconcile } from './reconcile.ts';
import { slimClaim, slimPod } from './slim.ts';

const name = 'pvc-protection';
const byClaim = 'claim';
/** Pods a page of the live list: as the informers list. */
const pageSize = 500;

export interface PvcProtectionOptions {
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly gates: FeatureGates<GateName>;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** Claims worked on at once. */
  readonly concurrentSyncs: number;
}

/**
 * Watches claims and pods. What wakes a claim:
 * - the claim, added or changed, when it lacks the finalizer, or is terminating and has it;
 * - a pod that names it, added or changed, when that pod does not use it (any more);
 * - a pod that named it, deleted, also when another has taken the pod's name.
 */
export function createPvcProtection(options: PvcProtectionOptions): {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
} {
  const { client, logger, registry, gates, namespaces, concurrentSyncs } = options;
  const protect = gates.enabled('StorageObjectInUseProtection');
  const shared = { client, logger, namespaces, metrics: createInformerMetrics(registry) };
  const claimInformer = createInformer({ ...shared, resource: persistentVolumeClaims, transform: slimClaim });
  const podInformer = createInformer({
    ...shared,
    resource: pods,
    transform: slimPod,
    indexes: { [byClaim]: claimKeysOf },
  });
  const claims = claimInformer.store;

  const controller = createController({
    name,
    logger,
    metrics: createControllerMetrics(registry, name),
    queueMetrics: createWorkQueueMetrics(registry, name),
    concurrency: concurrentSyncs,
    groupOf: (key) => parseKey(key).namespace ?? '',
    openBatch: (keys) =>
      createLivePodsLookup(keys, claims, async function* (namespace, signal) {
        for await (const page of client.listPages(pods, { namespace, limit: pageSize, signal })) {
          yield page.items;
        }
      }),
    reconcile: createReconcile({
      client,
      claims,
      podsNaming: (key) => podInformer.store.byIndex(byClaim, key),
      protect,
      logger,
      metrics: createMetrics(registry),
    }),
  });
  const { queue } = controller;

  const wakeClaim = (claim: PersistentVolumeClaim, initial: boolean): void => {
    if (isTerminating(claim) ? holds(claim) : protect && !holds(claim)) {
      queue.add(objectKey(claim), initial ? 'initial' : 'event');
    }
  };
  // A claim that is not terminating yet is woken by its own deletion, so only those that wait are looked for.
  const wakeWaiting = (pod: Pod, isNews: (claim: PersistentVolumeClaim) => boolean): void => {
    for (const key of claimKeysOf(pod)) {
      const claim = claims.get(key);
      if (claim !== undefined && isTerminating(claim) && holds(claim) && isNews(claim)) {
        queue.add(key);
      }
    }
  };
  const wakeIfUnused = (pod: Pod): void => wakeWaiting(pod, (claim) => !usesClaim(pod, claim));

  claimInformer.addHandler({
    added: wakeClaim,
    updated: (_before, after) => wakeClaim(after, false),
  });
  podInformer.addHandler({
    added: wakeIfUnused,
    updated: (_before, after) => wakeIfUnused(after),
    deleted: (last) => wakeWaiting(last, () => true),
  });
  return { informers: [claimInformer, podInformer], controllers: [controller] };
}

function holds(claim: PersistentVolumeClaim): boolean {
  return hasFinalizer(claim, finalizers.pvcProtection);
}

function claimKeysOf(pod: Pod): readonly ObjectKey[] {
  const { namespace } = pod.metadata;
  return claimUses(pod).map(({ claimName }) =>
    keyOf({ name: claimName, ...(namespace === undefined ? {} : { namespace }) }),
  );
}
