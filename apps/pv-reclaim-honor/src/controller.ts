import {
  keyOf,
  objectKey,
  persistentVolumeClaims,
  persistentVolumes,
  volumeAttachments,
  type FeatureGates,
  type ObjectKey,
  type PersistentVolume,
  type VolumeAttachment,
} from '@holdfast/core';
import {
  createController,
  createControllerMetrics,
  createInformer,
  createInformerMetrics,
  createWorkQueueMetrics,
  listAll,
  systemClock,
  type ApiClient,
  type Clock,
  type Controller,
  type EventRecorder,
  type Follower,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createChangeFinalizers } from './change-finalizers.ts';
import { createCsiDrivers } from './csi/csi-drivers.ts';
import type { Keeper, Mode } from './decide/snapshot.ts';
import { createDeletionProgress } from './deletion-progress.ts';
import { createDeletionQueues } from './deletion-queues.ts';
import { createFights } from './fights.ts';
import { createFinalizerWriter } from './finalizer-writer.ts';
import type { GateName } from './gates.ts';
import { hostPathPlugin } from './in-tree/host-path.ts';
import { createVolumeFolders } from './in-tree/volume-folders.ts';
import { keeperOf } from './keeper.ts';
import { createLeakWarnings } from './leak-warnings.ts';
import { createMetrics } from './metrics.ts';
import { createAttachmentList } from './observe/attachment-list.ts';
import { createCacheObserver } from './observe/cache.ts';
import { createCachedNeed } from './observe/cached-need.ts';
import { claimOf } from './observe/claim-of.ts';
import { createLiveLook } from './observe/live-look.ts';
import { createLiveNeed } from './observe/live-need.ts';
import { createServerObserver } from './observe/server.ts';
import { createOwnWrites } from './own-writes.ts';
import { createReclaimer } from './reclaim.ts';
import { createDeletionReconcile } from './reconcile-deletion.ts';
import { createReconcile } from './reconcile.ts';
import { slimClaim, slimVolume, slimVolumeAttachment } from './slim.ts';
import { createStorageIndex } from './storage-index.ts';
import { createTakeSnapshot } from './take-snapshot.ts';
import { createVolumeDeleter } from './volume-deleter.ts';

const name = 'pv-reclaim-honor';
const byClaim = 'claim';
const byVolume = 'volume';
/** Of the volumes that hold up a reclaim, as many are logged at most. */
const volumesNamed = 3;
/** What a deletion may take besides the driver's call, milliseconds. */
const deletionTimeout = 60_000;
/**
 * Volumes that an in-tree plugin deletes at once. A file system that hangs takes a thread of Node's pool for each, of which there are four,
 * and the pool reads the credentials of the API server too.
 */
const inTreeDeletions = 2;

export interface PvReclaimHonorOptions {
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly gates: FeatureGates<GateName>;
  /** Volumes whose claims are, or were, in these. Empty: all. */
  readonly namespaces: readonly string[];
  /** Volumes whose finalizers are worked on at once; and, besides, volumes that each driver deletes at once. */
  readonly concurrentSyncs: number;
  readonly mode: Mode;
  /** No storage is touched. The client must be one that writes nothing either. */
  readonly dryRun: boolean;
  /** Sockets of CSI drivers, each `unix:///path`. */
  readonly csiAddresses: readonly string[];
  /** Of each call to a driver, milliseconds. */
  readonly csiTimeout: number;
  /** The finalizer of volumes that a CSI driver deletes. */
  readonly csiFinalizer: string;
  /** In-tree plugins whose volumes their CSI drivers delete. */
  readonly migratedPlugins: readonly string[];
  /** The folder below which hostPath volumes are deleted. */
  readonly hostPathRoot: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** The client's, by which looks grow old. Default: the machine's. */
  readonly lookClock?: Pick<Clock, 'now'>;
}

/**
 * Watches volumes, claims and attachments. What wakes a volume:
 * - itself, added or changed;
 * - another volume whose storage overlaps, when it was the last that needed it, and needs it no more;
 * - the claim that it refers to, deleted, also when another has taken the claim's name;
 * - an attachment of it, deleted;
 * - its CSI driver, connected for the first time or again.
 */
export function createPvReclaimHonor(options: PvReclaimHonorOptions): {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
} {
  const { client, logger, registry, events, namespaces, mode, dryRun } = options;
  const { clock = systemClock, lookClock = systemClock } = options;
  const metrics = createMetrics(registry);
  const shared = { client, logger, metrics: createInformerMetrics(registry), clock };
  const volumeInformer = createInformer({
    ...shared,
    resource: persistentVolumes,
    projection: slimVolume,
    indexes: { [byClaim]: claimKeysOf },
  });
  const claimInformer = createInformer({
    ...shared,
    namespaces,
    resource: persistentVolumeClaims,
    projection: slimClaim,
  });
  const attachmentInformer = createInformer({
    ...shared,
    resource: volumeAttachments,
    projection: slimVolumeAttachment,
    indexes: { [byVolume]: volumesOf },
  });
  const volumes = volumeInformer.store;
  const storages = createStorageIndex();
  const nodesInCache = ({ metadata }: PersistentVolume): readonly string[] =>
    attachmentInformer.store.byIndex(byVolume, metadata.name).map(({ spec }) => spec.nodeName);
  const needsStorage = createCachedNeed({
    claims: claimInformer.store,
    nodesOf: nodesInCache,
    hasClaimsOf: (namespace) => namespaces.length === 0 || namespaces.includes(namespace),
  });

  const outside = { client, clock, logger, metrics, events, dryRun };
  const ownWrites = createOwnWrites(clock);
  const fights = createFights(clock);
  const progress = createDeletionProgress(clock);
  const leaks = createLeakWarnings(outside);
  const writeFinalizers = createFinalizerWriter(client, metrics);
  const drivers = createCsiDrivers({
    addresses: options.csiAddresses,
    timeout: options.csiTimeout,
    logger,
    clock,
    onReady: (driver) => {
      for (const volume of volumes.values()) {
        const keeper = keeperFor(volume);
        if (keeper.kind === 'csi' && keeper.name === driver) {
          progress.retryNow(volume.metadata.uid);
          queue.add(objectKey(volume));
        }
      }
    },
  });
  const nodesOf = createAttachmentList(() =>
    listAll(client, volumeAttachments, { projection: slimVolumeAttachment }),
  );
  const hostPaths = hostPathPlugin(options.hostPathRoot, {
    folders: createVolumeFolders(() => listAll(client, persistentVolumes, { projection: slimVolume })),
    needsStorage: createLiveNeed({ client, nodesOf }),
  });
  const deleter = createVolumeDeleter({ client, drivers, plugins: [hostPaths], lookClock });
  const keeperFor = (volume: PersistentVolume): Keeper =>
    keeperOf(volume, {
      hasDriver: drivers.has,
      mode,
      hasSockets: options.csiAddresses.length > 0,
      migratedPlugins: options.migratedPlugins,
      canDeleteInTree: deleter.canDeleteInTree,
      csiFinalizer: options.csiFinalizer,
      namespaces,
    });
  const takeSnapshot = createTakeSnapshot({
    keeperOf: keeperFor,
    progress,
    honor: options.gates.enabled('HonorPVReclaimPolicy'),
    mode,
  });
  const observeInCache = createCacheObserver({
    claims: claimInformer.store,
    nodesOf: nodesInCache,
    neededBy: (volume) => storages.neededBy(volume, volumesNamed),
  });
  const deletions = createDeletionQueues({
    name,
    logger,
    registry,
    clock,
    concurrencyOf: ({ kind }) =>
      kind === 'csi' ? options.concurrentSyncs : Math.min(options.concurrentSyncs, inTreeDeletions),
    timeout: deletionTimeout + options.csiTimeout,
    reconcile: createDeletionReconcile({
      volumes,
      observeInCache,
      observeOnServer: createServerObserver({
        client,
        lookAt: createLiveLook(client, namespaces),
        nodesOf,
        overlapping: storages.overlapping,
      }),
      takeSnapshot,
      isReady: ({ kind, name: driver }) => kind !== 'csi' || drivers.isReady(driver),
      progress,
      reclaimer: createReclaimer({ ...outside, writeFinalizers, deleter, progress }),
      logger,
    }),
  });
  const reconcile = createReconcile({
    volumes,
    observeInCache,
    takeSnapshot,
    ownWrites,
    changeFinalizers: createChangeFinalizers({ ...outside, writeFinalizers, ownWrites, fights }),
    leaks,
    deletions,
    logger,
  });
  const controller = createController({
    name,
    logger,
    metrics: createControllerMetrics(registry, name),
    queueMetrics: createWorkQueueMetrics(registry, name),
    concurrency: options.concurrentSyncs,
    clock,
    reconcile,
  });
  const { queue } = controller;

  const wake = (volume: PersistentVolume, initial = false): void =>
    queue.add(objectKey(volume), initial ? 'initial' : 'event');
  const wakeFreed = (keys: readonly ObjectKey[]): void => keys.forEach((key) => queue.add(key, 'event'));
  /** After a change of whatever its need of its storage depends on. */
  const judge = (volume: PersistentVolume): void => wakeFreed(storages.set(volume, needsStorage(volume)));

  volumeInformer.addHandler({
    added: (volume, initial) => {
      judge(volume);
      wake(volume, initial);
    },
    updated: (_before, after) => {
      judge(after);
      wake(after);
    },
    deleted: (last) => {
      for (const memory of [ownWrites, fights, progress, leaks]) {
        memory.forget(last.metadata.uid);
      }
      wakeFreed(storages.delete(objectKey(last)));
    },
  });
  claimInformer.addHandler({
    added: (claim) => volumes.byIndex(byClaim, objectKey(claim)).forEach(judge),
    deleted: (last) => {
      for (const volume of volumes.byIndex(byClaim, objectKey(last))) {
        judge(volume);
        wake(volume);
      }
    },
  });
  const attached = (attachment: VolumeAttachment): readonly PersistentVolume[] =>
    volumesOf(attachment).flatMap((each) => volumes.get(each) ?? []);
  attachmentInformer.addHandler({
    added: (attachment) => attached(attachment).forEach(judge),
    deleted: (last) => {
      for (const volume of attached(last)) {
        judge(volume);
        wake(volume);
      }
    },
  });

  return {
    informers: [volumeInformer, claimInformer, attachmentInformer],
    controllers: [
      {
        queue,
        // The leader connects to drivers, a standby does not.
        run: async (signal, abandon) => {
          const leaving = new AbortController();
          const connecting = drivers.run(leaving.signal);
          await Promise.all([controller.run(signal, abandon), deletions.run(signal, abandon)]);
          leaving.abort(new Error('the controller has ended'));
          await connecting;
        },
      },
    ],
  };
}

function claimKeysOf(volume: PersistentVolume): readonly string[] {
  const claim = claimOf(volume);
  return claim === undefined ? [] : [keyOf(claim)];
}

function volumesOf({ spec }: VolumeAttachment): readonly string[] {
  return spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName];
}
