import {
  objectKey,
  persistentVolumeClaims,
  persistentVolumes,
  volumeAttachments,
  type FeatureGates,
  type PersistentVolume,
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
import { createAttachmentList } from './attachment-list.ts';
import { createCsiDrivers } from './csi/csi-drivers.ts';
import type { Keeper, Mode } from './decide/snapshot.ts';
import type { GateName } from './gates.ts';
import { hostPathPlugin } from './in-tree/host-path.ts';
import { keeperOf, storageKeyOf } from './keeper.ts';
import { createMetrics } from './metrics.ts';
import { createReconcile } from './reconcile.ts';
import { slimClaim, slimVolume, slimVolumeAttachment } from './slim.ts';
import { createStorage } from './storage.ts';
import { createVolumeMemories } from './volume-memory.ts';

const name = 'pv-reclaim-honor';
const byClaim = 'claim';
const byStorage = 'storage';
const byVolume = 'volume';
/** Objects a page of a live list: as the informers list. */
const pageSize = 500;
/** What a reconcile may take besides the driver's call, milliseconds. */
const reconcileTimeout = 60_000;

export interface PvReclaimHonorOptions {
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly gates: FeatureGates<GateName>;
  /** Volumes whose claims are, or were, in these. Empty: all. */
  readonly namespaces: readonly string[];
  /** Volumes worked on at once. */
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
}

/**
 * Watches volumes, claims and attachments. What wakes a volume:
 * - itself, added or changed;
 * - what befalls another volume of the same storage volume, which may have held it up;
 * - the claim that it refers to, deleted, also when another has taken the claim's name;
 * - an attachment of it, deleted;
 * - its CSI driver, met for the first time or again.
 */
export function createPvReclaimHonor(options: PvReclaimHonorOptions): {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Controller[];
} {
  const { client, logger, registry, events, gates, namespaces, clock = systemClock } = options;
  const { mode, dryRun, csiTimeout, csiFinalizer, migratedPlugins } = options;
  const memories = createVolumeMemories(clock);
  const shared = { client, logger, metrics: createInformerMetrics(registry) };
  const volumeInformer = createInformer({
    ...shared,
    resource: persistentVolumes,
    projection: slimVolume,
    indexes: { [byClaim]: claimKeysOf, [byStorage]: storageKeysOf },
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
  const claims = claimInformer.store;

  const drivers = createCsiDrivers({
    addresses: options.csiAddresses,
    timeout: csiTimeout,
    logger,
    clock,
    onReady: (driver) => {
      for (const volume of volumes.values()) {
        const keeper = keeperFor(volume);
        if (keeper.kind === 'csi' && keeper.name === driver) {
          memories.retryNow(volume.metadata.uid);
          queue.add(objectKey(volume));
        }
      }
    },
  });
  const storage = createStorage({ client, drivers, plugins: [hostPathPlugin(options.hostPathRoot)] });
  const keeperFor = (volume: PersistentVolume): Keeper =>
    keeperOf(volume, {
      hasDriver: drivers.has,
      migratedPlugins,
      // In mode guard somebody else deletes, who may have plugins that we have not.
      canDeleteInTree: mode === 'guard' ? () => true : storage.canDeleteInTree,
      csiFinalizer,
      namespaces,
    });
  const twins = (volume: PersistentVolume): readonly PersistentVolume[] =>
    storageKeysOf(volume)
      .flatMap((key) => volumes.byIndex(byStorage, key))
      .filter(({ metadata }) => metadata.uid !== volume.metadata.uid);
  const controller = createController({
    name,
    logger,
    metrics: createControllerMetrics(registry, name),
    queueMetrics: createWorkQueueMetrics(registry, name),
    concurrency: options.concurrentSyncs,
    openBatch: () => undefined,
    timeout: reconcileTimeout + csiTimeout,
    clock,
    reconcile: createReconcile({
      client,
      volumes,
      claims,
      nodesInCache: ({ metadata }) =>
        attachmentInformer.store.byIndex(byVolume, metadata.name).map(({ spec }) => spec.nodeName),
      nodesNow: createAttachmentList(() =>
        itemsOf(client.listPages(volumeAttachments, { limit: pageSize, projection: slimVolumeAttachment })),
      ),
      twins,
      watches: (namespace) => namespaces.length === 0 || namespaces.includes(namespace),
      keeperOf: keeperFor,
      storage,
      memories,
      honor: gates.enabled('HonorPVReclaimPolicy'),
      mode,
      dryRun,
      clock,
      logger,
      metrics: createMetrics(registry),
      events,
    }),
  });
  const { queue } = controller;

  const wake = (volume: PersistentVolume, initial = false): void =>
    queue.add(objectKey(volume), initial ? 'initial' : 'event');
  const wakeTwins = (volume: PersistentVolume): void => twins(volume).forEach((each) => wake(each));

  volumeInformer.addHandler({
    added: wake,
    updated: (_before, after) => {
      wake(after);
      wakeTwins(after);
    },
    deleted: (last) => {
      memories.forget(last.metadata.uid);
      wakeTwins(last);
    },
  });
  claimInformer.addHandler({
    deleted: (last) => {
      for (const volume of volumes.byIndex(byClaim, objectKey(last))) {
        wake(volume);
        wakeTwins(volume);
      }
    },
  });
  attachmentInformer.addHandler({
    deleted: (last) => {
      for (const volume of volumesOf(last).flatMap((each) => volumes.get(each) ?? [])) {
        wake(volume);
        wakeTwins(volume);
      }
    },
  });

  return {
    informers: [volumeInformer, claimInformer, attachmentInformer],
    controllers: [
      {
        queue,
        // Drivers are met by the process that works, not by one that stands by.
        run: async (signal, abandon) => {
          const leaving = new AbortController();
          const meeting = drivers.run(leaving.signal);
          await controller.run(signal, abandon);
          leaving.abort(new Error('the controller has ended'));
          await meeting;
        },
      },
    ],
  };
}

function claimKeysOf({ spec }: PersistentVolume): readonly string[] {
  const { namespace = '', name: claim = '' } = spec?.claimRef ?? {};
  return claim === '' ? [] : [`${namespace}/${claim}`];
}

function storageKeysOf(volume: PersistentVolume): readonly string[] {
  const key = storageKeyOf(volume);
  return key === undefined ? [] : [key];
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
