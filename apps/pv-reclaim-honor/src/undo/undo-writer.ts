import { keyOf, persistentVolumes, type PersistentVolume } from '@holdfast/core';
import {
  guardedWrite,
  LookTooOld,
  resultOfWrite,
  writeOutcome,
  type ApiClient,
  type EventRecorder,
  type ReconcileResult,
  type RequestOptions,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { GivingBack, Marking, ObjectDeletion, Unmarking } from '../decide/decision.ts';
import { deletionBegunAnnotation, isDeletionBegun } from '../decide/deletion-begun.ts';
import { undoMarkOf } from '../decide/undo-mark.ts';
import type { DeletionProgress } from '../deletion-progress.ts';
import { giveBackPatch, markPatch, unmarkPatch } from './undo-patch.ts';
import type { UndoMetrics } from './undo-metrics.ts';

export type UndoWrite = GivingBack | Marking | ObjectDeletion | Unmarking;

/**
 * @param request with the look that the decision is based on.
 * @throws what a failed write throws.
 */
export type WriteUndo = (
  decision: UndoWrite,
  request: Pick<RequestOptions, 'look' | 'signal'>,
) => Promise<ReconcileResult>;

export interface UndoWriterOptions {
  readonly client: Pick<ApiClient, 'patch' | 'delete'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly metrics: UndoMetrics;
  /** Keeps the ages of looks: a look that was too old makes the next one valid for longer. */
  readonly progress: Pick<DeletionProgress, 'lookTooOld' | 'lookInTime'>;
  /**
   * Returns whether storage of the volume is being deleted, or was. Asked right before a window begins or a
   * volume is given back: a window that is asked for only then would promise what is on its way to be gone.
   */
  readonly isBeingDeleted: (volume: PersistentVolume) => boolean;
}

/**
 * Carries out what was decided, based on the API server, for a volume with an undo window: one guarded write,
 * which is always counted, and logged if it succeeds.
 */
export function createUndoWriter({
  client,
  logger,
  events,
  metrics,
  progress,
  isBeingDeleted,
}: UndoWriterOptions): WriteUndo {
  const record = (
    { volume }: UndoWrite,
    reason: 'VolumeWaitsForUndo' | 'VolumeGivenBack',
    note: string,
  ): void => events.record(persistentVolumes, volume, { type: 'Normal', reason, action: 'Reclaim', note });

  /**
   * Records whether the look was recent enough. This is the only cause of an outdated write that waiting does
   * not fix.
   */
  const noteAge = async <T>(uid: string, send: () => Promise<T>): Promise<T> => {
    try {
      const sent = await send();
      progress.lookInTime(uid);
      return sent;
    } catch (error) {
      if (error instanceof LookTooOld) {
        progress.lookTooOld(uid);
      }
      throw error;
    }
  };

  return async (decision, given) => {
    const { kind, volume, reason } = decision;
    const { name, uid, resourceVersion } = volume.metadata;
    const { look } = given;
    const request =
      look !== undefined && (kind === 'mark' || kind === 'giveBack')
        ? { ...given, look: { ...look, stillHolds: () => !isBeingDeleted(volume) } }
        : given;
    const send = async (): Promise<PersistentVolume | undefined> => {
      switch (kind) {
        case 'mark':
          return client.patch(persistentVolumes, { name }, markPatch(volume, decision.due), request);
        case 'unmark':
          return client.patch(persistentVolumes, { name }, unmarkPatch(volume), request);
        case 'giveBack':
          return client.patch(persistentVolumes, { name }, giveBackPatch(volume, decision.boundUid), request);
        case 'deleteObject':
          // The precondition is this exact state, so the volume has not been given back, and has the same
          // policy, window and mark.
          await client.delete(
            persistentVolumes,
            { name },
            { preconditions: { uid, resourceVersion }, ...request },
          );
          return undefined;
      }
    };
    const written = await guardedWrite(
      () => noteAge(uid, send),
      (left) => left === undefined || isDone(decision, left),
    );
    metrics.undoWrite(kind, writeOutcome(written));
    if (written.kind === 'written') {
      const { namespace = '', name: claimName = '' } = volume.spec?.claimRef ?? {};
      const claimKey = keyOf({ namespace, name: claimName });
      const deleteAfter = kind === 'mark' ? new Date(decision.due).toISOString() : undefined;
      logger.info({ volume: name, operation: kind, claim: claimKey, deleteAfter, reason }, 'Undo window');
      if (deleteAfter !== undefined) {
        const wayBack =
          volume.metadata.deletionTimestamp !== undefined
            ? 'the volume is being deleted and can not be had back, but until then its storage can be saved: set its policy to Retain, or make another volume over it'
            : isDeletionBegun(volume)
              ? `a deletion of it was begun before and might have been carried out, so that no claim gets the volume back; until then what is left can be saved: set its policy to Retain, or take ${deletionBegunAnnotation} from it if its storage is whole`
              : `a claim ${claimKey} with spec.volumeName ${name} gets the volume back until then`;
        record(decision, 'VolumeWaitsForUndo', `The storage is deleted after ${deleteAfter}: ${wayBack}`);
      } else if (kind === 'giveBack') {
        record(
          decision,
          'VolumeGivenBack',
          `The volume is given back to claim ${claimKey}, which asks for it`,
        );
      }
    }
    return resultOfWrite(written);
  };
}

/** @param left the volume as the write left it. */
function isDone(decision: UndoWrite, left: PersistentVolume): boolean {
  switch (decision.kind) {
    case 'mark':
      return undoMarkOf(left)?.kind === 'valid';
    case 'unmark':
      return undoMarkOf(left) === undefined;
    case 'giveBack':
      return left.spec?.claimRef?.uid === decision.boundUid;
    case 'deleteObject':
      return true;
  }
}
