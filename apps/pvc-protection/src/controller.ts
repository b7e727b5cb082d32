import {
  finalizers,
  hasFinalizer,
  isTerminating,
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
  systemClock,
  type ApiClient,
  type Clock,
  type Controller,
  type EventRecorder,
  type Follower,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { usesClaim } from './decide.ts';
import type { GateName } from './gates.ts';
import { createHeldClaims } from './held-claims.ts';
import { liveLists } from './live-lists.ts';
import { createLiveLookups } from './live-lookup.ts';
import { createMetrics } from './metrics.ts';
import { claimKeysOf } from './decide/pod-claims.ts';
import { createReconcile } from './reconcile.ts';
import { slimClaim, slimPod, slimVolumeAttachment } from './slim.ts';
import { createUnusedConditionController } from './unused-condition/controller.ts';

const name = 'pvc-protection';
const byClaim = 'claim';
const byVolume = 'volume';

export interface PvcProtectionOptions {
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly gates: FeatureGates<GateName>;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** Claims of a namespace worked on at once; in all, twice as many. */
  readonly concurrentSyncs: number;
  /** Of back-offs, requeue delays and the release delay in metrics. Default: the machine's. */
  readonly clock?: Clock;
  /** Wall clock for the time in condition `Unused`; no decision rests on it. Default: the machine's. */
  readonly now?: () => Date;
}

/**
 * Watches claims and pods. What wakes a claim:
 * - the claim, added or changed, when it lacks the finalizer, or is terminating and has it;
 * - a pod that names it, added or changed, when that pod does not use it, or no longer does;
 * - a pod that named it, deleted, also when another has taken the pod's name;
 * - with gate WaitForVolumeDetach, an attachment of its volume, deleted.
 */
export function createPvcProtection(options: PvcProtectionOptions): {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
} {
  const { client, logger, registry, events, gates, namespaces, concurrentSyncs } = options;
  const { clock = systemClock, now = () => new Date() } = options;
  const protect = gates.enabled('StorageObjectInUseProtection');
  const waitForDetach = gates.enabled('WaitForVolumeDetach');
  const shared = { client, logger, namespaces, clock, metrics: createInformerMetrics(registry) };
  const claimInformer = createInformer({
    ...shared,
    resource: persistentVolumeClaims,
    projection: slimClaim,
    indexes: { [byVolume]: ({ spec }) => (spec?.volumeName === undefined ? [] : [spec.volumeName]) },
  });
  const podInformer = createInformer({
    ...shared,
    resource: pods,
    projection: slimPod,
    indexes: { [byClaim]: claimKeysOf },
  });
  const attachmentInformer = waitForDetach
    ? createInformer({
        ...shared,
        // Attachments have no namespace.
        namespaces: [],
        resource: volumeAttachments,
        projection: slimVolumeAttachment,
        indexes: { [byVolume]: volumesOf },
      })
    : undefined;
  const claims = claimInformer.store;
  const held = createHeldClaims(clock);

  const podsNaming = (key: ObjectKey): readonly Pod[] => podInformer.store.byIndex(byClaim, key);
  const groupOf = (key: ObjectKey): string => parseKey(key).namespace ?? '';
  const lookUp = (isServed: (claim: PersistentVolumeClaim) => boolean) =>
    createLiveLookups({
      claims,
      isServed,
      clock,
      ...liveLists(client),
    });

  const controller = createController({
    name,
    logger,
    clock,
    metrics: createControllerMetrics(registry, name),
    queueMetrics: createWorkQueueMetrics(registry, name),
    concurrency: concurrentSyncs,
    groupOf,
    openBatch: lookUp(isTerminating),
    reconcile: createReconcile({
      client,
      claims,
      podsNaming,
      nodesAttachedTo: ({ spec }) =>
        new Set(
          (attachmentInformer?.store.byIndex(byVolume, spec?.volumeName ?? '') ?? []).map(
            (attachment) => attachment.spec.nodeName,
          ),
        ),
      protect,
      waitForDetach,
      held,
      events,
      logger,
      metrics: createMetrics(registry, held.byNamespace),
      clock,
    }),
  });
  const { queue } = controller;

  const wakeClaim = (claim: PersistentVolumeClaim, initial: boolean): void => {
    if (isTerminating(claim) ? holds(claim) : protect && !holds(claim)) {
      queue.add(objectKey(claim), initial ? 'initial' : 'event');
    }
  };
  const isWaiting = (claim: PersistentVolumeClaim): boolean => isTerminating(claim) && holds(claim);
  const wakeIfWaiting = (claim: PersistentVolumeClaim): void => {
    if (isWaiting(claim)) {
      queue.add(objectKey(claim));
    }
  };
  // Only terminating claims are woken here: any other is woken by its own deletion.
  const wakeWaiting = (pod: Pod, isNews: (claim: PersistentVolumeClaim) => boolean): void => {
    for (const key of claimKeysOf(pod)) {
      const claim = claims.get(key);
      if (claim !== undefined && isWaiting(claim) && isNews(claim)) {
        held.userGone(key);
        queue.add(key);
      }
    }
  };
  const wakeIfUnused = (pod: Pod): void => wakeWaiting(pod, (claim) => !usesClaim(pod, claim));

  claimInformer.addHandler({
    added: wakeClaim,
    updated: (_before, after) => wakeClaim(after, false),
    deleted: (last) => held.forget(objectKey(last), last),
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
        // Where the pods are not known yet, the claim is looked at when they are.
        if (podInformer.hasSynced(claim.metadata.namespace)) {
          wakeIfWaiting(claim);
        }
      }
    },
  });
  const unusedCondition = createUnusedConditionController({
    client,
    logger,
    registry,
    claims: claimInformer,
    pods: podInformer,
    podsNaming,
    batches: { groupOf, openBatch: lookUp(() => true) },
    enabled: gates.enabled('ClaimUnusedCondition'),
    concurrentSyncs,
    clock,
    now,
  });
  return {
    informers: [
      claimInformer,
      podInformer,
      ...(attachmentInformer === undefined ? [] : [attachmentInformer]),
    ],
    controllers: [controller, unusedCondition],
  };
}

function holds(claim: PersistentVolumeClaim): boolean {
  return hasFinalizer(claim, finalizers.pvcProtection);
}

function volumesOf({ spec }: VolumeAttachment): readonly string[] {
  return spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName];
}
