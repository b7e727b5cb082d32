import {
  guardedPatch,
  persistentVolumeClaims,
  persistentVolumes,
  pointer,
  type JsonPatch,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { find, guardedWrite, type ApiClient } from '@holdfast/runtime';
import { pendingOf, type Pending } from '../survey/undo.ts';

/** What became of one that was to be kept. */
export interface Kept {
  readonly pending: Pending;
  readonly result: 'kept' | 'gone' | 'failed';
  /** Of `failed`, and what is still to be done about one that is kept. */
  readonly note: string;
}

/** An object that changes again and again between look and write. */
const mostLooks = 5;

/**
 * Takes what is pending out of its undo window for good:
 *
 * | object                             | write                                                                                  |
 * |------------------------------------|----------------------------------------------------------------------------------------|
 * | claim                              | `holdfast.dev/delete-after` goes; the annotations beside it stay, so that it is not marked anew |
 * | volume                             | policy Retain, and `holdfast.dev/reclaim-policy: Delete` goes: a mark alone would be written anew |
 *
 * Each write tests UID and resourceVersion; what has changed is looked at again, and written only if it is pending still.
 */
export async function keep(client: Pick<ApiClient, 'get' | 'patch'>, pending: Pending): Promise<Kept> {
  for (let look = 0; look < mostLooks; look += 1) {
    const found = await lookAt(client, pending);
    if (found === undefined || found.object.metadata.deletionTimestamp !== undefined) {
      return { pending, result: 'gone', note: 'it is deleted by now' };
    }
    if (!found.isPending) {
      return { pending, result: 'kept', note: 'it waits for no undo window any more' };
    }
    const written = await guardedWrite(() => found.write());
    switch (written.kind) {
      case 'written':
        return {
          pending,
          result: 'kept',
          note: pending.kind === 'claim' ? '' : `to use it: ${pending.keep}`,
        };
      case 'gone':
        return { pending, result: 'gone', note: 'it is deleted by now' };
      case 'failed':
        return { pending, result: 'failed', note: messageOf(written.error) };
      case 'outdated':
    }
  }
  return { pending, result: 'failed', note: 'it changes all the time; try again' };
}

interface Look {
  readonly object: PersistentVolumeClaim | PersistentVolume;
  readonly isPending: boolean;
  write(): Promise<unknown>;
}

async function lookAt(
  client: Pick<ApiClient, 'get' | 'patch'>,
  { kind, namespace, name }: Pending,
): Promise<Look | undefined> {
  if (kind === 'claim') {
    const ref = { namespace, name };
    const claim = await find(client, persistentVolumeClaims, ref);
    return (
      claim && {
        object: claim,
        isPending: pendingOf([claim], []).length > 0,
        write: () => client.patch(persistentVolumeClaims, ref, keepClaim(claim)),
      }
    );
  }
  const volume = await find(client, persistentVolumes, { name });
  return (
    volume && {
      object: volume,
      isPending: pendingOf([], [volume]).length > 0,
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
