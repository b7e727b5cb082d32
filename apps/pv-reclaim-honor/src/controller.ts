import {
  isTerminating,
  keyOf,
  objectKey,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  volumeAttachments,
  type ObjectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  type VolumeAttachment,
} from '@holdfast/core';
import {
  composeApp,
  createFights,
  listAny,
  systemClock,
  type App,
  type AppParts,
  type Clock,
  type Composition,
  type Tenure,
} from '@holdfast/runtime';
import { createChangeFinalizers, fightPause } from './change-finalizers.ts';
import { createCsiDrivers } from './csi/csi-drivers.ts';
import { decide } from './decide.ts';
import type { Keeper, Mode } from './decide/snapshot.ts';
import { undoMarkOf } from './decide/undo-mark.ts';
import { undoFinalizer } from './decide/undo-window.ts';
import { createDeletionProgress } from './deletion-progress.ts';
import { createDeletionQueues } from './deletion-queues.ts';
import { createFinalizerWriter } from './finalizer-writer.ts';
import type { GateName } from './gates.ts';
import { createDeletionsTogether } from './in-tree/deletions-together.ts';
import { createFileCalls } from './in-tree/file-calls.ts';
import { hostPathPlugin } from './in-tree/host-path.ts';
import { createVolumeFolders } from './in-tree/volume-folders.ts';
import { keeperOf } from './keeper.ts';
import { createLeakReport } from './leak-report/leak-report.ts';
import { createLeakReportMetrics } from './leak-report/leak-report-metrics.ts';
import { createVolumeWarnings } from './volume-warnings.ts';
import { createMetrics } from './metrics.ts';
import { listAnyVolumes } from './observe/any-volume.ts';
import { createAttachmentList } from './observe/attachment-list.ts';
import { boundVolumeOf, isBoundTo } from './observe/bound-claim.ts';
import { claimsByVolume } from './observe/bound-elsewhere.ts';
import { createCacheObserver } from './observe/cache.ts';
import { createCachedNeed } from './observe/cached-need.ts';
import { claimsByUid } from './observe/claim-elsewhere.ts';
import { claimOf } from './observe/claim-of.ts';
import { createLiveLook } from './observe/live-look.ts';
import { createLiveNeed } from './observe/live-need.ts';
import { createUncachedVolumes } from './observe/uncached-volumes.ts';
import { createServerObserver } from './observe/server.ts';
import { createOwnWrites } from './own-writes.ts';
import { createReclaimer } from './reclaim.ts';
import { createRecordBegun } from './record-begun.ts';
import { classOf } from './provisioner-secret.ts';
import { createDeletionReconcile, isToBeReclaimed } from './reconcile-deletion.ts';
import { createReconcile } from './reconcile.ts';
import { createUndoReconcile } from './reconcile-undo.ts';
import { createRefusals } from './refusals.ts';
import { slimClaim, slimClass, slimVolume, slimVolumeAttachment } from './slim.ts';
import { csiIdentityOf } from './storage-identity.ts';
import { createStorageIndex } from './storage-index.ts';
import { createTakeSnapshot } from './take-snapshot.ts';
import { createSettleUndo } from './settle-undo.ts';
import { withUndoFinalizer } from './undo/undo-finalizer.ts';
import { createUndoMetrics } from './undo/undo-metrics.ts';
import { undoWarningOf } from './undo/undo-warning.ts';
import { createUndoWarnings } from './undo/undo-warnings.ts';
import { createUndoWindows } from './undo/undo-windows.ts';
import { createUndoWriter } from './undo/undo-writer.ts';
import { reclaimGraceAnnotation, type WindowRequest } from './undo/window-request.ts';
import { createVolumeDeleter } from './volume-deleter.ts';

/** How many of the volumes that hold up a reclaim are logged. */
const volumesNamed = 3;
/**
 * How long after the start of a process the role of a namespace whose claims it may not read might only be on its way,
 * in milliseconds.
 */
const roleDelay = 60_000;
/** How long a deletion can take in addition to the driver's call, in milliseconds. */
const deletionTimeout = 60_000;
/**
 * How many volumes of an in-tree plugin are worked on at once. Most of them wait: see
 * createDeletionsTogether.
 */
const inTreeDeletions = 128;
/** How many calls into file systems run at a time: each takes a thread of Node's pool. */
const fileCallsAtOnce = 2;
/**
 * How many threads of Node's pool unresponsive file systems must leave free, for the paths of other volumes,
 * DNS lookups and credentials.
 */
const threadsForOthers = 3;

export interface ReclaimOptions {
  readonly mode: Mode;
  /** Whether to leave all storage alone. The client must then send no lasting writes either. */
  readonly dryRun: boolean;
  /** The sockets of CSI drivers, each as `unix:///path`. */
  readonly csiAddresses: readonly string[];
  /** The timeout of each call to a driver, in milliseconds. */
  readonly csiTimeout: number;
  /** The finalizer of volumes that a CSI driver deletes. */
  readonly csiFinalizer: string;
  /** The in-tree plugins whose volumes their CSI drivers delete. */
  readonly migratedPlugins: readonly string[];
  /** The folder below which hostPath volumes are deleted; undefined: they are left alone. */
  readonly hostPathRoot: string | undefined;
  /** How many threads Node has for calls into file systems: calls that hang must leave some of them free. */
  readonly threads: number;
  /** Asked right before storage is touched, and before anything that waited for its time is carried out. */
  readonly tenure: Tenure;
  /** The clock by which the client measures the age of looks. Default: the machine's. */
  readonly lookClock?: Pick<Clock, 'now'>;
  /** Returns the API server's time; undefined if it is not known. Default: the client's estimate. */
  readonly serverTime?: () => Date | undefined;
}

/**
 * Composes the app.
 *
 * A volume is woken:
 * - when it is added or changed;
 * - when another volume whose storage overlaps no longer needs it, and was the last that did;
 * - when the claim that it refers to is deleted, even if another claim has taken that name, or `claimRef` has
 *   its UID and another name;
 * - when a claim is bound to it, says so no longer, or is deleted, whether `claimRef` names it or not;
 * - when one of its attachments is deleted;
 * - when its CSI driver connects, for the first time or again;
 * - when the claims of its namespace can be read for the first time, or those of the last of all namespaces;
 * - with gate ReclaimGracePeriod: when its class is added, changed or deleted, and when a claim begins to ask
 *   for it, or no longer does, or begins to be deleted.
 *
 * One handler updates the storage index and then wakes the volume. A volume that cannot be added to the index
 * is not worked on.
 */
export function pvReclaimHonor(app: App<GateName>, options: ReclaimOptions): void {
  const { name, client, logger, registry, events, gates, namespaces, concurrentSyncs, clock, now } = app;
  const { mode, dryRun, lookClock = systemClock, tenure } = options;
  const { serverTime = () => client.serverTime() } = options;
  const grace = gates.enabled('ReclaimGracePeriod');
  const metrics = createMetrics(registry);
  const volumeInformer = app.watch(persistentVolumes, slimVolume, {
    claim: claimKeysOf,
    claimUid: claimUidsOf,
    class: grace ? classNamesOf : undefined,
  });
  const claimInformer = app.watch(persistentVolumeClaims, slimClaim, {
    ...claimsByUid,
    ...claimsByVolume,
  });
  const attachmentInformer = app.watch(volumeAttachments, slimVolumeAttachment, { volume: volumesOf });
  const classInformer = app.watch(storageClasses, slimClass, {}, { when: grace });
  const volumes = volumeInformer.store;
  const undoWindows = createUndoWindows({
    enabled: grace,
    client,
    classes: classInformer.store,
    now,
    serverTime,
    tenure,
    onLiveRequest: (volume, request) => warnOfWindow(volume, request),
  });
  const storages = createStorageIndex();
  const composedAt = clock.now();
  /**
   * Where claims may not be read they never are, as outside of `--namespaces`: that must not keep the storage of all
   * other namespaces. At the start, the role might only be on its way.
   */
  const unlisted = (): string | undefined => {
    if (claimInformer.hasSynced()) {
      return undefined;
    }
    const isEarly = clock.now() - composedAt < roleDelay;
    return claimInformer.scopes.find(
      (scope) =>
        scope !== undefined &&
        !claimInformer.hasSynced(scope) &&
        (isEarly || !claimInformer.isForbidden(scope)),
    );
  };
  const nodesInCache = ({ metadata }: PersistentVolume): readonly string[] =>
    attachmentInformer.store.byIndex('volume', metadata.name).map(({ spec }) => spec.nodeName);
  const cachedNeed = createCachedNeed({
    claims: claimInformer.store,
    nodesOf: nodesInCache,
    hasClaimsOf: claimInformer.hasSynced,
    undoWindows,
  });

  const outside = { client, clock, logger, metrics, events, dryRun };
  const ownWrites = createOwnWrites(clock);
  const fights = createFights({ clock, pause: fightPause });
  const progress = createDeletionProgress(clock);
  const refusals = createRefusals();
  const warnings = createVolumeWarnings(outside);
  const undoWarnings = createUndoWarnings(events, logger);
  const writeFinalizers = createFinalizerWriter(client, metrics);
  const drivers = createCsiDrivers({
    addresses: options.csiAddresses,
    timeout: options.csiTimeout,
    logger,
    clock,
    onReady: (driver) => {
      for (const volume of volumesOfDriver(driver)) {
        progress.driverIsBack(volume.metadata.uid);
        queue.add(objectKey(volume));
      }
    },
    onAway: (driver) =>
      volumesOfDriver(driver).forEach(({ metadata }) => progress.driverIsAway(metadata.uid)),
  });
  const reportLeaks = gates.enabled('LeakReport')
    ? createLeakReport({
        drivers,
        isNamed: (driver, handle) => storages.hasVolumeOver(csiIdentityOf(driver, handle)),
        clock,
        logger,
        metrics: createLeakReportMetrics(registry),
      })
    : () => Promise.resolve();
  const nodesOf = createAttachmentList(() =>
    listAny(client, volumeAttachments, { projection: slimVolumeAttachment }),
  );
  const listVolumes = () => listAnyVolumes(client);
  const fileCalls = createFileCalls({
    clock,
    logger,
    atOnce: Math.min(concurrentSyncs, fileCallsAtOnce),
    atMost: Math.max(1, options.threads - fileCallsAtOnce - threadsForOthers),
    onSilent: metrics.fileSystemsSilent,
  });
  const plugins =
    options.hostPathRoot === undefined
      ? []
      : [
          hostPathPlugin(
            options.hostPathRoot,
            {
              folders: createVolumeFolders(listVolumes, fileCalls),
              lookAtNeeds: createLiveNeed({ client, claims: claimInformer.store, nodesOf, undoWindows }),
              needsStorageInCache: (volume) => {
                const cached = volumes.get(objectKey(volume));
                return cached !== undefined && cachedNeed.does(cached);
              },
            },
            fileCalls,
          ),
        ];
  const deleter = createVolumeDeleter({
    client,
    drivers,
    plugins,
    lookClock,
    tenure,
    isReleasedInCache: (volume) => {
      const decision = decide(takeSnapshot(observeInCache(volumes.get(objectKey(volume)))));
      return isToBeReclaimed(decision) && decision.volume.metadata.uid === volume.metadata.uid;
    },
  });
  const keeperFor = (volume: PersistentVolume): Keeper => {
    if (!claimInformer.hasSynced(claimOf(volume)?.namespace ?? '')) {
      // Nothing is known about its namespace; it is looked at when the claims there can be read.
      return { kind: 'foreign' };
    }
    const keeper = keeperOf(volume, {
      hasDriver: drivers.has,
      mode,
      hasSockets: options.csiAddresses.length > 0,
      migratedPlugins: options.migratedPlugins,
      canDeleteInTree: deleter.canDeleteInTree,
      csiFinalizer: options.csiFinalizer,
      namespaces,
    });
    return withUndoFinalizer(keeper, volume);
  };
  const volumesOfDriver = (driver: string): readonly PersistentVolume[] =>
    [...volumes.values()].filter((volume) => {
      const keeper = keeperFor(volume);
      return keeper.kind === 'csi' && keeper.name === driver;
    });
  const warnOfWindow = (volume: PersistentVolume, request: WindowRequest): void =>
    undoWarnings.warn(undoWarningOf(volume, request, keeperFor(volume), mode));
  const takeSnapshot = createTakeSnapshot({
    keeperOf: keeperFor,
    progress,
    honor: gates.enabled('HonorPVReclaimPolicy'),
    mode,
  });
  const observeInCache = createCacheObserver({
    claims: claimInformer.store,
    nodesOf: nodesInCache,
    neededBy: (volume) => storages.neededBy(volume, volumesNamed),
    undoWindows,
    unlisted,
  });
  const uncached = createUncachedVolumes({
    list: () => listAnyVolumes(client, volumes),
    cache: volumes,
    clock,
  });
  const observeOnServer = createServerObserver({
    client,
    claims: claimInformer.store,
    lookAt: createLiveLook(client, claimInformer.store, () =>
      claimInformer.scopes.filter(claimInformer.isFollowing),
    ),
    nodesOf,
    overlapping: storages.overlapping,
    uncached: uncached.over,
    undoWindows,
  });
  const writeUndo = createUndoWriter({
    client,
    logger,
    events,
    metrics: createUndoMetrics(registry),
    progress,
    isBeingDeleted: (volume) => deleter.isUnderWay(volume) || progress.isConfirmed(volume.metadata.uid),
  });
  /** Aborted when the controller has to end. */
  let running: AbortSignal | undefined;
  const deletions = createDeletionQueues({
    name,
    logger,
    registry,
    clock,
    concurrencyOf: ({ kind }) => (kind === 'csi' ? concurrentSyncs : inTreeDeletions),
    timeout: deletionTimeout + options.csiTimeout,
    reconcile: createDeletionReconcile({
      volumes,
      observeInCache,
      observeOnServer,
      takeSnapshot,
      isReady: ({ kind, name: driver }) => kind !== 'csi' || drivers.isReady(driver),
      progress,
      deleter,
      reclaimer: createReclaimer({
        ...outside,
        writeFinalizers,
        recordBegun: createRecordBegun(client, { onlyMarked: !grace }),
        progress,
        refusals,
      }),
      writeUndo,
      warnings,
      inTreeTogether: createDeletionsTogether(clock, () => running?.aborted === true),
      logger,
    }),
  });
  const undo = app.controller({
    // A name that no driver can have.
    name: `${name}/${undoFinalizer}`,
    wakes: [],
    reconcile: createUndoReconcile({
      volumes,
      observeInCache,
      takeSnapshot,
      settleUndo: createSettleUndo({ observeOnServer, takeSnapshot, writeUndo, progress, warnings }),
      logger,
    }),
  });
  const reconcile = createReconcile({
    volumes,
    observeInCache,
    takeSnapshot,
    ownWrites,
    changeFinalizers: createChangeFinalizers({ ...outside, writeFinalizers, ownWrites, fights }),
    warnings,
    deletions,
    undoWindows: undo.queue,
    onLook: (volume) => {
      warnOfWindow(volume, undoWindows.request(volume));
      if (undoMarkOf(volume) !== undefined) {
        // When its mark expires it no longer needs its storage, and no event reports that.
        judge(volume);
      }
    },
    logger,
  });
  const { queue } = app.controller({
    // The handlers below wake the keys.
    wakes: [],
    reconcile,
    // The leader connects to drivers, a standby does not.
    around: (run) => async (signal, abandon) => {
      running = signal;
      const leaving = new AbortController();
      const connecting = Promise.all([drivers.run(leaving.signal), reportLeaks(leaving.signal)]);
      await Promise.all([run(signal, abandon), deletions.run(signal, abandon)]);
      leaving.abort(new Error('the controller has ended'));
      await connecting;
    },
  });

  const wake = (volume: PersistentVolume, initial = false): void =>
    queue.add(objectKey(volume), initial ? 'initial' : 'event');
  const wakeFreed = (keys: readonly ObjectKey[]): void => keys.forEach((key) => queue.add(key, 'event'));
  /** Called after a change of anything that decides whether the volume needs its storage. */
  const judge = (volume: PersistentVolume): void => wakeFreed(storages.set(volume, cachedNeed.might(volume)));

  /**
   * Retries the volumes that were refused because of this one: it is repaired, gone, or unreadable for
   * another reason.
   */
  const wakeRefusedFor = (unreadable: ObjectKey): void => {
    for (const { key, uid } of refusals.take(unreadable)) {
      progress.retryNow(uid);
      queue.add(key);
    }
  };

  volumeInformer.addHandler({
    added: (volume, initial) => {
      judge(volume);
      wake(volume, initial);
      wakeRefusedFor(objectKey(volume));
    },
    leftOut: wakeRefusedFor,
    updated: (_before, after) => {
      judge(after);
      wake(after);
      wakeRefusedFor(objectKey(after));
    },
    deleted: (last) => {
      for (const memory of [ownWrites, fights, progress, warnings, refusals]) {
        memory.forget(last.metadata.uid);
      }
      undoWarnings.forget(last);
      uncached.dropped(last);
      wakeFreed(storages.delete(objectKey(last)));
    },
  });
  /** A claim that asks for a volume of an earlier claim of the same name might get it back. */
  const wakeAskedFor = (claim: PersistentVolumeClaim, initial: boolean): void => {
    const volume = volumes.get(claim.spec?.volumeName ?? '');
    if (grace && volume !== undefined && claimKeysOf(volume).includes(objectKey(claim))) {
      wake(volume, initial);
    }
  };
  /**
   * Returns the volumes that refer to the claim, or to another name with its UID, and the one to which it says that it
   * is bound.
   */
  const volumesWith = (claim: PersistentVolumeClaim): readonly PersistentVolume[] => [
    ...new Set([
      ...volumes.byIndex('claim', objectKey(claim)),
      ...volumes.byIndex('claimUid', claim.metadata.uid),
      ...[volumes.get(boundVolumeOf(claim) ?? '') ?? []].flat(),
    ]),
  ];
  /** Whether no namespace was left whose claims might be bound to volumes, when one was last listed. */
  let wereListed = false;
  claimInformer.addHandler({
    added: (claim, initial) => {
      volumesWith(claim).forEach(judge);
      wakeAskedFor(claim, initial);
    },
    updated: (before, after) => {
      if (
        before.spec?.volumeName !== after.spec?.volumeName ||
        // A claim that is being deleted asks for nothing any more, and might stay for long.
        isTerminating(before) !== isTerminating(after)
      ) {
        volumesWith(after).forEach(judge);
        wakeAskedFor(after, false);
      }
      for (const volume of new Set([...volumesWith(before), ...volumesWith(after)])) {
        if (isBoundTo(before, volume) !== isBoundTo(after, volume)) {
          judge(volume);
          wake(volume);
        }
      }
    },
    deleted: (last) => {
      for (const volume of volumesWith(last)) {
        judge(volume);
        wake(volume);
      }
    },
    started: (namespace) => {
      const areListed = unlisted() === undefined;
      const isLast = areListed && !wereListed;
      wereListed = areListed;
      for (const volume of volumes.values()) {
        if (namespace !== undefined && claimOf(volume)?.namespace === namespace) {
          judge(volume);
          wake(volume, true);
        } else if (namespace !== undefined && isLast && volume.status?.phase !== 'Bound') {
          wake(volume, true);
        }
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

  const wakeClass = ({ metadata }: StorageClass, initial: boolean): void => {
    for (const volume of volumes.byIndex('class', metadata.name)) {
      judge(volume);
      wake(volume, initial);
    }
  };
  classInformer.addHandler({
    added: wakeClass,
    updated: (before, after) => {
      if (
        before.metadata.annotations?.[reclaimGraceAnnotation] !==
        after.metadata.annotations?.[reclaimGraceAnnotation]
      ) {
        wakeClass(after, false);
      }
    },
    deleted: (last) => {
      undoWarnings.forget(last);
      wakeClass(last, false);
    },
  });
}

export interface PvReclaimHonorOptions extends Omit<AppParts<GateName>, 'name'>, ReclaimOptions {}

/** Composes the app without a process around it. */
export function createPvReclaimHonor(options: PvReclaimHonorOptions): Composition {
  return composeApp({ ...options, name: 'pv-reclaim-honor' }, (app) => pvReclaimHonor(app, options));
}

function claimKeysOf(volume: PersistentVolume): readonly string[] {
  const claim = claimOf(volume);
  return claim === undefined ? [] : [keyOf(claim)];
}

function claimUidsOf({ spec }: PersistentVolume): readonly string[] {
  const uid = spec?.claimRef?.uid ?? '';
  return uid === '' ? [] : [uid];
}

function classNamesOf(volume: PersistentVolume): readonly string[] {
  const className = classOf(volume);
  return className === '' ? [] : [className];
}

function volumesOf({ spec }: VolumeAttachment): readonly string[] {
  return spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName];
}
