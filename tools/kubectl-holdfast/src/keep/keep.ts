import {
  guardedPatch,
  hasFinalizer,
  isTerminating,
  persistentVolumeClaims,
  persistentVolumes,
  pointer,
  type JsonPatch,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  isDeletionBegun,
  isStorageDeleted,
  meansDelete,
  undoFinalizer,
  undoMarkOf,
} from '@holdfast/pv-reclaim-honor/decide';
import { ApiError, find, guardedWrite, type ApiClient } from '@holdfast/runtime';
import { nowOf } from '../cluster/read-set.ts';
import { pendingOf, type Pending } from '../survey/undo.ts';

/** What happened to an object that was to be kept. */
export interface Kept {
  readonly pending: Pick<Pending, 'kind' | 'namespace' | 'name'>;
  readonly result: 'kept' | 'gone' | 'failed';
  /** Why it `failed`; or what is still to be done about an object that is kept. */
  readonly note: string;
}

/** How often an object that keeps changing between read and write is read again. */
const mostLooks = 5;

/**
 * Takes an object out of its undo window. A later cause for another window, such as the deletion of the
 * claim's set, still counts:
 *
 * | object                             | write                                                                                  |
 * |------------------------------------|----------------------------------------------------------------------------------------|
 * | claim                              | `holdfast.dev/delete-after` goes; the annotations beside it stay, so that it is not marked anew |
 * | volume                             | policy Retain, and `holdfast.dev/reclaim-policy: Delete` goes: a mark alone would be written anew |
 *
 * A volume that is being deleted is still removed, but its storage stays, provided that its window is open. Once
 * its time has passed, the deletion of the storage might be in progress, or might wait for an hour after a
 * restore of etcd. So the volume is written all the same, and is `failed`, since only a look at the storage tells. So
 * is one of which a deletion is recorded as begun.
 *
 * Each write tests UID and resourceVersion. An object that has changed is read again, and written only if it
 * is still in its undo window. A new object of the same name is left alone.
 *
 * @throws any error that means that the API server does not answer; if it refuses the write, the result is
 *   `failed`
 */
export async function keep(client: KeepClient, pending: Pending): Promise<Kept> {
  for (let look = 0; look < mostLooks; look += 1) {
    let found: Look | undefined;
    try {
      found = await lookAt(client, pending);
    } catch (error) {
      return failed(pending, error);
    }
    if (found === undefined) {
      return { pending, result: 'gone', note: 'it has been deleted' };
    }
    const { object, isPending, isLate, write } = found;
    if (object.metadata.uid !== pending.uid) {
      return {
        pending,
        result: 'gone',
        note: 'it has been deleted; another one of its name was created since',
      };
    }
    if (isTerminating(object) && !isPending) {
      return pending.kind === 'volume'
        ? goingVolume(pending, object, nowOf(client))
        : { pending, result: 'gone', note: 'it is being deleted, and can not be kept any more' };
    }
    if (!isPending) {
      return { pending, result: 'kept', note: 'it is not in an undo window any more' };
    }
    const written = await guardedWrite(write);
    switch (written.kind) {
      case 'written':
        return isLate
          ? { pending, result: 'failed', note: whatIsLeftLate(object) }
          : { pending, result: 'kept', note: whatIsLeft(pending, object) };
      case 'gone':
        return { pending, result: 'gone', note: 'it has been deleted' };
      case 'failed':
        return failed(pending, written.error);
      case 'outdated':
    }
  }
  return { pending, result: 'failed', note: 'it keeps changing; try again' };
}

/**
 * Returns what is true of a volume that is being deleted and that an earlier run has kept, as far as that could be;
 * undefined if nothing shows that it was ever in an undo window.
 */
export function keptBefore(volume: PersistentVolume, now: number): Kept | undefined {
  const { metadata, spec } = volume;
  const wasInWindow =
    undoMarkOf(volume) !== undefined ||
    hasFinalizer(volume, undoFinalizer) ||
    metadata.annotations?.['holdfast.dev/reclaim-grace'] !== undefined;
  const { namespace = '' } = spec?.claimRef ?? {};
  const pending = { kind: 'volume', namespace, name: metadata.name } as const;
  return isTerminating(volume) && isRetained(volume) && wasInWindow
    ? goingVolume(pending, volume, now)
    : undefined;
}

/** What is true of a volume that is being deleted and does not wait for the end of a window. */
function goingVolume(pending: Kept['pending'], volume: PersistentVolume, now: number): Kept {
  const mark = undoMarkOf(volume);
  if (isStorageDeleted(volume)) {
    return { pending, result: 'gone', note: 'its storage has been deleted' };
  }
  if (!isRetained(volume)) {
    const note = `it is being deleted, and is in no undo window any more: its storage is deleted, unless its policy is set to Retain before that begins${storageOf(volume)}`;
    return { pending, result: 'failed', note };
  }
  const retained = 'it is being deleted, and goes; its policy is Retain already';
  return mark?.kind === 'valid' && mark.due > now && !isDeletionBegun(volume)
    ? { pending, result: 'kept', note: `${retained}, so its storage stays${storageOf(volume)}` }
    : {
        pending,
        result: 'failed',
        note: `${retained}, but the deletion of its storage might have begun before, so look whether that is there${storageOf(volume)}`,
      };
}

function isRetained(volume: PersistentVolume): boolean {
  return volume.spec?.persistentVolumeReclaimPolicy === 'Retain' && !meansDelete(volume);
}

type KeepClient = Pick<ApiClient, 'get' | 'patch' | 'serverTime'>;

function failed(pending: Pending, error: unknown): Kept {
  if (!(error instanceof ApiError)) {
    throw error;
  }
  return { pending, result: 'failed', note: error.message };
}

function whatIsLeft(pending: Pending, object: PersistentVolume): string {
  if (pending.kind === 'claim') {
    return '';
  }
  if (!isTerminating(object)) {
    return `to use it: ${pending.keep}`;
  }
  return `it is being deleted, and goes; its storage stays${storageOf(object)}`;
}

function whatIsLeftLate(object: PersistentVolume): string {
  const why = isDeletionBegun(object)
    ? 'a deletion of its storage was begun: its policy is Retain now, but that deletion might have been carried out'
    : 'it is being deleted and its time has passed: its policy is Retain now, but the deletion of its storage might have begun';
  return `${why}, so look whether that is there${storageOf(object)}`;
}

function storageOf({ spec: { csi } = {} }: PersistentVolume): string {
  return csi === undefined ? '' : `: ${csi.driver} ${csi.volumeHandle}`;
}

interface Look {
  readonly object: PersistentVolumeClaim | PersistentVolume;
  readonly isPending: boolean;
  /** Whether its storage might be on its way out already. */
  readonly isLate: boolean;
  readonly write: () => Promise<unknown>;
}

async function lookAt(client: KeepClient, { kind, namespace, name }: Pending): Promise<Look | undefined> {
  if (kind === 'claim') {
    const ref = { namespace, name };
    const claim = await find(client, persistentVolumeClaims, ref);
    return (
      claim && {
        object: claim,
        isPending: pendingOf([claim], []).length > 0,
        isLate: false,
        write: () => client.patch(persistentVolumeClaims, ref, keepClaim(claim)),
      }
    );
  }
  const volume = await find(client, persistentVolumes, { name });
  const waiting = volume === undefined ? [] : pendingOf([], [volume]);
  return (
    volume && {
      object: volume,
      isPending: waiting.length > 0,
      isLate:
        isDeletionBegun(volume) ||
        (isTerminating(volume) && waiting.some(({ due }) => due !== undefined && due <= nowOf(client))),
      write: () => client.patch(persistentVolumes, { name }, keepVolume(volume)),
    }
  );
}

function keepClaim(claim: PersistentVolumeClaim): JsonPatch {
  return guardedPatch(claim, [unchanged(claim), without('holdfast.dev/delete-after')]);
}

function keepVolume(volume: PersistentVolume): JsonPatch {
  const meant = 'holdfast.dev/reclaim-policy';
  return guardedPatch(volume, [
    unchanged(volume),
    { op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Retain' },
    ...(volume.metadata.annotations?.[meant] === undefined ? [] : [without(meant)]),
  ]);
}

function unchanged({ metadata }: PersistentVolumeClaim | PersistentVolume): JsonPatch[number] {
  return { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion };
}

function without(annotation: string): JsonPatch[number] {
  return { op: 'remove', path: pointer('metadata', 'annotations', annotation) };
}
