import {
  guardedPatch,
  isTerminating,
  persistentVolumes,
  pointer,
  testAbsent,
  type JsonPatch,
  type PersistentVolume,
} from '@holdfast/core';
import { find, guardedWrite, type ApiClient, type RequestOptions, type Written } from '@holdfast/runtime';
import { deletionBegunAnnotation, deletionBegunRecord, isDeletionBegun } from './decide/deletion-begun.ts';

/**
 * Records on a volume, and on others over its storage, that a deletion of the storage begins, so that none of them is
 * given back afterwards, whatever becomes of this process. A terminating volume is never given back, and needs no
 * record.
 *
 * A volume that has changed in any way since it was looked at is not recorded: it might need the storage by now.
 *
 * @param volume whole, as the API server has it.
 * @param others in the versions that the API server has.
 * @returns what the first write came to that did not succeed, after which none is made; undefined if all did.
 * @throws what the client throws when it reads the others.
 */
export type RecordBegun = (
  volume: PersistentVolume,
  others: readonly PersistentVolume[],
  options: RequestOptions,
) => Promise<Written<never> | undefined>;

export function createRecordBegun(client: Pick<ApiClient, 'get' | 'patch'>): RecordBegun {
  const recordOn = async (
    volume: PersistentVolume,
    options: RequestOptions,
  ): Promise<Written<never> | undefined> => {
    const { name } = volume.metadata;
    const written = await guardedWrite(
      () => client.patch(persistentVolumes, { name }, begunPatch(volume), options),
      isDeletionBegun,
    );
    // Nobody gets a volume that is gone.
    return written.kind === 'written' || written.kind === 'gone' ? undefined : written;
  };

  return async (volume, others, options) => {
    // The others first: of a volume that is not recorded itself, nothing has been deleted.
    for (const other of others.filter(lacksRecord)) {
      // What was seen might be a part of it, from a list.
      const whole = await find(client, persistentVolumes, { name: other.metadata.name }, options);
      if (whole !== undefined && !isSameState(whole, other)) {
        return {
          kind: 'outdated',
          reason: `volume ${other.metadata.name} has changed since it was looked at`,
        };
      }
      const failed = whole === undefined ? undefined : await recordOn(whole, options);
      if (failed !== undefined) {
        return failed;
      }
    }
    return lacksRecord(volume) ? recordOn(volume, options) : undefined;
  };
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
