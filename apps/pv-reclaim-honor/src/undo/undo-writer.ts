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
import { undoMarkOf } from '../decide/undo-mark.ts';
import type { DeletionProgress } from '../deletion-progress.ts';
import { giveBackPatch, markPatch, unmarkPatch } from './undo-patch.ts';
import type { UndoMetrics } from './undo-metrics.ts';

export type UndoWrite = GivingBack | Marking | ObjectDeletion | Unmarking;

/** @param request the look that the decision rests on. @throws what a failed write throws. */
export type WriteUndo = (
  decision: UndoWrite,
  request: Pick<RequestOptions, 'look' | 'signal'>,
) => Promise<ReconcileResult>;

export interface UndoWriterOptions {
  readonly client: Pick<ApiClient, 'patch' | 'delete'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly metrics: UndoMetrics;
  /** Where the ages of looks are kept: a look that was too old makes the next one last longer. */
  readonly progress: Pick<DeletionProgress, 'lookTooOld' | 'lookInTime'>;
}

/**
 * Carries out what was decided for a volume with an undo window, on the word of the API server: one guarded write, counted whatever
 * becomes of it, and logged where it succeeds.
 */
export function createUndoWriter({
  client,
  logger,
  events,
  metrics,
  progress,
}: UndoWriterOptions): WriteUndo {
  const record = (
    { volume }: UndoWrite,
    reason: 'VolumeWaitsForUndo' | 'VolumeGivenBack',
    note: string,
  ): void => events.record(persistentVolumes, volume, { type: 'Normal', reason, action: 'Reclaim', note });

  /** Notes whether the look was young enough, which of all that makes a write outdated is the one that time does not mend. */
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

  return async (decision, request) => {
    const { kind, volume, reason } = decision;
    const { name, uid, resourceVersion } = volume.metadata;
    const send = async (): Promise<PersistentVolume | undefined> => {
      switch (kind) {
        case 'mark':
          return client.patch(persistentVolumes, { name }, markPatch(volume, decision.due), request);
        case 'unmark':
          return client.patch(persistentVolumes, { name }, unmarkPatch(volume), request);
        case 'giveBack':
          return client.patch(persistentVolumes, { name }, giveBackPatch(volume), request);
        case 'deleteObject':
          // Of this very state: neither given back, nor of another policy, window or mark by now.
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
      (left) => left === undefined || isDone(kind, left),
    );
    metrics.undoWrite(kind, writeOutcome(written));
    if (written.kind === 'written') {
      const { namespace = '', name: claimName = '' } = volume.spec?.claimRef ?? {};
      const claimKey = keyOf({ namespace, name: claimName });
      const deleteAfter = kind === 'mark' ? new Date(decision.due).toISOString() : undefined;
      logger.info({ volume: name, operation: kind, claim: claimKey, deleteAfter, reason }, 'Undo window');
      if (deleteAfter !== undefined) {
        const wayBack =
          volume.metadata.deletionTimestamp === undefined
            ? `a claim ${claimKey} with spec.volumeName ${name} gets the volume back until then`
            : 'the volume is being deleted and can not be had back, but until then its storage can be saved: set its policy to Retain, or make another volume over it';
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
function isDone(kind: UndoWrite['kind'], left: PersistentVolume): boolean {
  switch (kind) {
    case 'mark':
      return undoMarkOf(left)?.kind === 'valid';
    case 'unmark':
      return undoMarkOf(left) === undefined;
    case 'giveBack':
      return left.spec?.claimRef?.uid === undefined;
    case 'deleteObject':
      return true;
  }
}
