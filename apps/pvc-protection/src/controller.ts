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
  volumeAttachments,
  type FeatureGates,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment,
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
import { createLiveLookup } from './live-lookup.ts';
import { createMetrics } from './metrics.ts';
import { createReconcile } from './reconcile.ts';
import { slimClaim, slimPod, slimVolumeAttachment } from './slim.ts';

const name = 'pvc-protection';
const byClaim = 'claim';
const byVolume = 'volume';
/** Objects a page of a live list: as the informers list. */
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
 * - a pod that named it, deleted, also when another has taken the pod's name;
 * - with gate WaitForVolumeDetach, an attachment of its volume, deleted.
 */
export function createPvcProtection(options: PvcProtectionOptions): {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
} {
  const { client, logger, registry, gates, namespaces, concurrentSyncs } = options;
  const protect = gates.enabled('StorageObjectInUseProtection');
  const waitForDetach = gates.enabled('WaitForVolumeDetach');
  const shared = { client, logger, namespaces, metrics: createInformerMetrics(registry) };
  const claimInformer = createInformer({
    ...shared,
    resource: persistentVolumeClaims,
    transform: slimClaim,
    indexes: { [byVolume]: ({ spec }) => (spec?.volumeName === undefined ? [] : [spec.volumeName]) },
  });
  const podInformer = createInformer({
    ...shared,
    resource: pods,
    transform: slimPod,
    indexes: { [byClaim]: claimKeysOf },
  });
  const attachmentInformer = waitForDetach
    ? createInformer({
        ...shared,
        // Attachments are of the cluster, whatever the namespaces.
        namespaces: [],
        resource: volumeAttachments,
        transform: slimVolumeAttachment,
        indexes: { [byVolume]: volumesOf },
      })
    : undefined;
  const claims = claimInformer.store;

  const controller = createController({
    name,
    logger,
    metrics: createControllerMetrics(registry, name),
    queueMetrics: createWorkQueueMetrics(registry, name),
    concurrency: concurrentSyncs,
    groupOf: (key) => parseKey(key).namespace ?? '',
    openBatch: (keys) =>
      createLiveLookup({
        keys,
        claims,
        listPods: (namespace, signal) =>
          itemsOf(client.listPages(pods, { namespace, limit: pageSize, signal })),
        listAttachments: (signal) =>
          itemsOf(client.listPages(volumeAttachments, { limit: pageSize, signal })),
      }),
    reconcile: createReconcile({
      client,
      claims,
      podsNaming: (key) => podInformer.store.byIndex(byClaim, key),
      nodesAttachedTo: ({ spec }) =>
        new Set(
          (attachmentInformer?.store.byIndex(byVolume, spec?.volumeName ?? '') ?? []).map(
            (attachment) => attachment.spec.nodeName,
          ),
        ),
      protect,
      waitForDetach,
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
  const wakeIfWaiting = (claim: PersistentVolumeClaim): void => {
    if (isTerminating(claim) && holds(claim)) {
      queue.add(objectKey(claim));
    }
  };
  // A claim that is not terminating yet is woken by its own deletion, so only those that wait are looked for.
  const wakeWaiting = (pod: Pod, isNews: (claim: PersistentVolumeClaim) => boolean): void => {
    for (const key of claimKeysOf(pod)) {
      const claim = claims.get(key);
      if (claim !== undefined && isNews(claim)) {
        wakeIfWaiting(claim);
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
  attachmentInformer?.addHandler({
    deleted: (last) => {
      for (const claim of volumesOf(last).flatMap((volume) =>
        claimInformer.store.byIndex(byVolume, volume),
      )) {
        wakeIfWaiting(claim);
      }
    },
  });
  return {
    informers: [
      claimInformer,
      podInformer,
      ...(attachmentInformer === undefined ? [] : [attachmentInformer]),
    ],
    controllers: [controller],
  };
}

function holds(claim: PersistentVolumeClaim): boolean {
  return hasFinalizer(claim, finalizers.pvcProtection);
}

function volumesOf({ spec }: VolumeAttachment): readonly string[] {
  return spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName];
}

async function* itemsOf<T>(
  pages: AsyncIterable<{ readonly items: readonly T[] }>,
): AsyncGenerator<readonly T[]> {
  for await (const page of pages) {
    yield page.items;
  }
}

function claimKeysOf(pod: Pod): readonly ObjectKey[] {
  const { namespace } = pod.metadata;
  return claimUses(pod).map(({ claimName }) =>
    keyOf({ name: claimName, ...(namespace === undefined ? {} : { namespace }) }),
  );
}
