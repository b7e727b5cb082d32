import { isTerminating, persistentVolumes, type PersistentVolume } from '@holdfast/core';
import {
  find,
  guardedWrite,
  LookTooOld,
  ReconcileTimeout,
  resultOfWrite,
  TenureOver,
  type ApiClient,
  type Clock,
  type EventRecorder,
  type Look,
  type ReconcileResult,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import { DriverNotReadyError } from './csi/csi-drivers.ts';
import { CsiError } from './csi/csi-error.ts';
import type { Reclaim, Refusal } from './decide/decision.ts';
import { deletedRecord, heldBy } from './decide/held-by.ts';
import type { OurKeeper } from './decide/snapshot.ts';
import type { DeletionProgress, Failure } from './deletion-progress.ts';
import type { FinalizerWriter } from './finalizer-writer.ts';
import { NoTurnError } from './in-tree/line.ts';
import type { Metrics } from './metrics.ts';
import { OvertakenError } from './overtaken-error.ts';
import type { RecordBegun } from './record-begun.ts';
import { classOf } from './provisioner-secret.ts';
import type { Refusals } from './refusals.ts';
import { storageNameOf } from './storage-name.ts';
import { UnreadableVolumeError } from './unreadable-volume-error.ts';
import type { Deleted, PreparedDeletion } from './volume-deleter.ts';

/** A volume to be reclaimed, and its keeper, which deletes the storage. */
export interface Reclaimable {
  readonly volume: PersistentVolume;
  readonly keeper: OurKeeper;
}

/** What a reclaim is based on. */
export interface ReclaimBasis {
  readonly deletion: PreparedDeletion;
  readonly look: Look;
}

/**
 * Reclaims a volume in three steps: it deletes the storage, then the PersistentVolume, and then removes our
 * finalizer.
 *
 * # Guarantees
 * No step is taken before the previous one is known to be done. If a process ends between two steps, the
 * volume is still held, and the next process begins again with the first step, in which storage that is gone
 * counts as deleted. The PersistentVolume is deleted before our finalizer comes off, although the reverse would
 * save a refused patch where another controller takes its own finalizer off in between: a volume that is being
 * deleted is bound to no claim any more, and one without storage must never be.
 */
export interface Reclaimer {
  /**
   * Takes all three steps. For an in-tree volume it takes only the first; the others follow when the volume
   * is looked at again. A storage system that fails is asked again later, and the volume is held meanwhile.
   *
   * @param reclaimable the whole volume, as the API server had it a moment ago, and the others over its storage.
   * @param basis.deletion was prepared before the look.
   * @param basis.look shows that the volume is to be reclaimed. If it has grown too old, or the cache
   *   disagrees by now, nothing is begun, and the volume is looked at again at once.
   * @param signal an abort with a {@link ReconcileTimeout} counts as a failed try like any other.
   * @throws the signal's reason if it is aborted for another reason; NoTurnError if nothing was begun because
   *   other deletions took long; TenureOver if the lease has ended.
   */
  reclaim(
    reclaimable: Pick<Reclaim, 'volume' | 'keeper' | 'others'>,
    basis: ReclaimBasis,
    signal: AbortSignal,
  ): Promise<ReconcileResult>;
  /** Takes the last two steps, for a volume whose storage is known to be deleted. */
  finish(reclaimable: Reclaimable, signal: AbortSignal): Promise<ReconcileResult>;
  /** Deletes nothing, because another volume cannot be read; counts as a failed try like any other. */
  refuse(refusal: Refusal): ReconcileResult;
}

export interface ReclaimerOptions {
  readonly client: Pick<ApiClient, 'get' | 'delete'>;
  readonly progress: Pick<
    DeletionProgress,
    'begin' | 'failed' | 'confirmed' | 'isSure' | 'startedAt' | 'lookTooOld'
  >;
  readonly writeFinalizers: FinalizerWriter;
  /** Called when nothing is known any more that stands in the way of a deletion. */
  readonly recordBegun: RecordBegun;
  /** Whether to leave all storage alone. */
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly metrics: Pick<
    Metrics,
    'volumeDeleted' | 'operationDone' | 'operationFailed' | 'refusedForUnreadable' | 'leakRisk'
  >;
  readonly refusals: Pick<Refusals, 'note'>;
  readonly events: Pick<EventRecorder, 'record'>;
}

export function createReclaimer(options: ReclaimerOptions): Reclaimer {
  const { client, progress, writeFinalizers, recordBegun, refusals, dryRun } = options;
  const { clock, logger, metrics, events } = options;

  const failed = ({ volume, keeper }: Reclaimable, error: unknown): ReconcileResult => {
    const { name, uid } = volume.metadata;
    const delay = progress.failed(uid, failureOf(error));
    const refused = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (refused instanceof UnreadableVolumeError) {
      metrics.refusedForUnreadable();
      refusals.note(volume, refused.volume.name);
    }
    if (error instanceof DriverNotReadyError) {
      logger.info({ volume: name, plugin: keeper.name }, 'CSI driver is away');
      return { kind: 'requeueAfter', delay, behind: true };
    }
    events.record(persistentVolumes, volume, {
      type: 'Warning',
      reason: 'VolumeFailedDelete',
      action: 'Delete',
      note: error instanceof Error ? error.message : String(error),
    });
    metrics.operationFailed(keeper.name);
    logger.error({ volume: name, plugin: keeper.name, err: error, delay }, 'Storage not deleted');
    return { kind: 'requeueAfter', delay, behind: true };
  };

  const warnOfLeak = ({ volume, keeper }: Reclaimable, withoutSecret: string): void => {
    events.record(persistentVolumes, volume, {
      type: 'Warning',
      reason: 'VolumeMayLeak',
      action: 'Delete',
      note: `${keeper.name} reported the storage as deleted, but Secret ${withoutSecret} does not exist, without which some drivers delete nothing. Look for it on the storage: ${storageNameOf(volume)}`,
    });
    metrics.leakRisk();
    logger.warn(
      { volume: volume.metadata.name, plugin: keeper.name, secret: withoutSecret, reason: 'SecretGone' },
      'Volume may leak',
    );
  };

  /**
   * Takes the last two steps. The writes have no look: the storage is gone whatever has changed since, and
   * each write tests what it removes. With a look, an API server that takes longer to answer than a look is
   * valid would never let the volume be finished.
   */
  const removeObject = async (
    { volume, keeper }: Reclaimable,
    signal: AbortSignal,
  ): Promise<ReconcileResult> => {
    const { name, uid } = volume.metadata;
    const startedAt = progress.startedAt(uid) ?? clock.now();
    if (!isTerminating(volume)) {
      const deleted = await guardedWrite(() =>
        client.delete(persistentVolumes, { name }, { preconditions: { uid }, signal }),
      );
      if (deleted.kind === 'outdated' || deleted.kind === 'failed') {
        return resultOfWrite(deleted);
      }
    }
    const held = heldBy(volume, keeper);
    if (held.length === 0) {
      return { kind: 'done' };
    }
    const released = await writeFinalizers(
      volume,
      { add: [], remove: held, ...(progress.isSure(uid) ? { record: deletedRecord(volume) } : {}) },
      { signal },
    );
    if (released.kind === 'outdated' || released.kind === 'failed') {
      return resultOfWrite(released);
    }
    metrics.operationDone(keeper.name, (clock.now() - startedAt) / 1000);
    events.record(persistentVolumes, volume, {
      type: 'Normal',
      reason: 'VolumeReclaimed',
      action: 'Delete',
      // What a driver did is not known here, and an Event before might say that it perhaps did nothing.
      note:
        keeper.kind === 'csi'
          ? `${keeper.name} reported the storage of the volume as deleted`
          : `${keeper.name} has deleted the storage of the volume`,
    });
    logger.info({ volume: name, plugin: keeper.name, reason: 'StorageDeleted' }, 'Volume reclaimed');
    return { kind: 'done' };
  };

  const finish: Reclaimer['finish'] = async ({ volume: { metadata }, keeper }, signal) => {
    const volume = await find(client, persistentVolumes, { name: metadata.name }, { signal });
    return volume?.metadata.uid === metadata.uid
      ? removeObject({ volume, keeper }, signal)
      : { kind: 'done' };
  };

  const reclaim: Reclaimer['reclaim'] = async (reclaimable, { deletion, look }, signal) => {
    const { volume, keeper, others } = reclaimable;
    const { name, uid } = volume.metadata;
    if (dryRun) {
      logger.info({ volume: name, plugin: keeper.name }, 'Storage would be deleted');
      return { kind: 'done' };
    }
    const started = clock.now();
    progress.begin(uid);
    let deleted: Deleted;
    try {
      deleted = await deletion.delete(volume, keeper, {
        look,
        // Without the look: the deletion itself is judged by its age, and the record promises nothing.
        announce: (beside) => recordBegun(volume, [...others, ...beside], { signal }),
        signal,
      });
    } catch (error) {
      if (!(signal.reason instanceof ReconcileTimeout)) {
        signal.throwIfAborted();
      }
      if (error instanceof LookTooOld) {
        progress.lookTooOld(uid);
        return { kind: 'lookAgain', reason: error.message };
      }
      if (error instanceof OvertakenError) {
        return { kind: 'lookAgain', reason: error.message };
      }
      if (error instanceof NoTurnError || error instanceof TenureOver) {
        throw error;
      }
      return failed(reclaimable, error);
    }
    progress.confirmed(uid, deleted.withoutSecret === undefined);
    metrics.volumeDeleted(classOf(volume), (clock.now() - started) / 1000);
    logger.info({ volume: name, plugin: keeper.name }, 'Storage deleted');
    if (deleted.withoutSecret !== undefined) {
      warnOfLeak(reclaimable, deleted.withoutSecret);
    }
    // The look at all folders also serves other waiting deletions, so the remaining steps must not hold them
    // up until it is too old.
    // Finalizers seldom change during a deletion. If they have, the patch is refused, and the volume is looked
    // at again and finished.
    return keeper.kind === 'inTree' ? { kind: 'requeueAfter', delay: 0 } : removeObject(reclaimable, signal);
  };

  const refuse: Reclaimer['refuse'] = (refusal) =>
    failed(refusal, new UnreadableVolumeError(refusal.unreadable));

  return { reclaim, finish, refuse };
}

function failureOf(error: unknown): Failure {
  if (error instanceof CsiError && error.unavailable) {
    return error.call === 'DeleteVolume' ? 'driverLost' : 'driverAway';
  }
  return error instanceof DriverNotReadyError ? 'driverAway' : 'refused';
}
