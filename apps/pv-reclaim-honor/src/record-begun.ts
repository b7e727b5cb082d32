import {
  guardedPatch,
  isTerminating,
  persistentVolumes,
  pointer,
  testAbsent,
  type JsonPatch,
  type PersistentVolume,
} from '@holdfast/core';
import { find, guardedWrite, TenureOver, type ApiClient, type RequestOptions } from '@holdfast/runtime';
import { deletionBegunAnnotation, deletionBegunRecord, isDeletionBegun } from './decide/deletion-begun.ts';
import { undoMarkOf } from './decide/undo-mark.ts';
import { OvertakenError } from './overtaken-error.ts';

/**
 * Records on a volume, and on others over its storage, that a deletion of the storage begins, so that none of them is
 * given back afterwards, whatever becomes of this process. A terminating volume is never given back, and needs no
 * record.
 *
 * A volume that has changed in any way since it was looked at is not recorded: it might need the storage by now.
 *
 * @param volume whole, as the API server has it.
 * @param others in the versions that the API server has; the volume itself, or one twice, counts once.
 * @throws at the first of them that is not recorded: OvertakenError if it has changed; TenureOver; Error that names it;
 *   what the client throws when it reads them.
 */
export type RecordBegun = (
  volume: PersistentVolume,
  others: readonly PersistentVolume[],
  options: RequestOptions,
) => Promise<void>;

/**
 * @param options.onlyMarked whether to record only on volumes that have the mark of an undo window: with the gate off
 *   none gets one, but one from before lets a claim have the volume all the same. Default: on all.
 */
export function createRecordBegun(
  client: Pick<ApiClient, 'get' | 'patch'>,
  { onlyMarked = false }: { readonly onlyMarked?: boolean } = {},
): RecordBegun {
  const mightGoBack = (volume: PersistentVolume): boolean => {
    const mark = undoMarkOf(volume)?.kind;
    // Somebody might correct the time of an unreadable one.
    return mark === 'valid' || mark === 'unreadable';
  };
  const needsRecord = (volume: PersistentVolume): boolean =>
    lacksRecord(volume) && (!onlyMarked || mightGoBack(volume));

  const recordOn = async (volume: PersistentVolume, options: RequestOptions): Promise<void> => {
    const { name } = volume.metadata;
    const written = await guardedWrite(
      () => client.patch(persistentVolumes, { name }, begunPatch(volume), options),
      isDeletionBegun,
    );
    switch (written.kind) {
      case 'written':
      case 'gone': // Nobody gets it.
        return;
      case 'outdated':
        throw new OvertakenError(written.reason);
      case 'failed':
        throw written.error instanceof TenureOver ? written.error : notRecorded(volume, written.error);
    }
  };

  return async (volume, others, options) => {
    // The others first: of a volume that is not recorded itself, nothing has been deleted.
    for (const other of distinct(others, volume).filter(needsRecord)) {
      // What was seen might be a part of it, from a list.
      const whole = await find(client, persistentVolumes, { name: other.metadata.name }, options);
      if (whole !== undefined && !isSameState(whole, other)) {
        throw new OvertakenError(`volume ${other.metadata.name} has changed since it was looked at`);
      }
      if (whole !== undefined) {
        await recordOn(whole, options);
      }
    }
    if (needsRecord(volume)) {
      await recordOn(volume, options);
    }
  };
}

/** Returns the others, each version once. If one was seen in two versions, the older one has changed since. */
function distinct(
  others: readonly PersistentVolume[],
  { metadata: { uid } }: PersistentVolume,
): readonly PersistentVolume[] {
  const versions = others.map(
    (each) => [`${each.metadata.uid}/${each.metadata.resourceVersion}`, each] as const,
  );
  return [...new Map(versions).values()].filter(({ metadata }) => metadata.uid !== uid);
}

function notRecorded({ metadata }: PersistentVolume, cause: unknown): Error {
  return new Error(
    `nothing was deleted, since annotation ${deletionBegunAnnotation} can't be written on volume ${metadata.name}: ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause },
  );
}

function lacksRecord(volume: PersistentVolume): boolean {
  return !isTerminating(volume) && !isDeletionBegun(volume);
}

function isSameState({ metadata }: PersistentVolume, seen: PersistentVolume): boolean {
  return metadata.uid === seen.metadata.uid && metadata.resourceVersion === seen.metadata.resourceVersion;
}

const annotationsPath = pointer('metadata', 'annotations');
const recordPath = pointer('metadata', 'annotations', deletionBegunAnnotation);

/** Returns the operations that take a record off, without the guards of a patch. */
export function withoutBegun({ metadata }: PersistentVolume): JsonPatch {
  const value = metadata.annotations?.[deletionBegunAnnotation];
  return value === undefined
    ? []
    : [
        { op: 'test', path: recordPath, value },
        { op: 'remove', path: recordPath },
      ];
}

/** @param volume whole, as the API server has it. */
function begunPatch(volume: PersistentVolume): JsonPatch {
  const { resourceVersion, annotations } = volume.metadata;
  const value = deletionBegunRecord(volume);
  return guardedPatch(volume, [
    { op: 'test', path: pointer('metadata', 'resourceVersion'), value: resourceVersion },
    ...(annotations === undefined
      ? [
          testAbsent(annotationsPath),
          { op: 'add' as const, path: annotationsPath, value: { [deletionBegunAnnotation]: value } },
        ]
      : [{ op: 'add' as const, path: recordPath, value }]),
  ]);
}
