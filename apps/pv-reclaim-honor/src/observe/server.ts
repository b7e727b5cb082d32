import { persistentVolumes, type PersistentVolume } from '@holdfast/core';
import { find, type ApiClient } from '@holdfast/runtime';
import type { Observation } from '../decide/snapshot.ts';
import { findClaimUid } from './live-need.ts';
import { needsStorage } from './needs-storage.ts';

export interface ServerObserverOptions {
  readonly client: Pick<ApiClient, 'get'>;
  /** The nodes to which any of these volumes is attached, by a list begun after the question. */
  readonly nodesOf: (volumeNames: readonly string[]) => Promise<readonly string[]>;
  /** The other volumes of the same storage volume, by the cache. */
  readonly sharing: (volume: PersistentVolume) => readonly PersistentVolume[];
}

/**
 * Observes a volume by asking the API server itself, as must be done before anything is deleted.
 *
 * The order is part of it: the volume, then its claim, then the same of the volumes that share its storage, then the attachments. A
 * claim that is gone by its UID does not come back, and without it the volume can't be attached anew.
 *
 * @returns a function that throws what the client throws, and the signal's reason when aborted.
 */
export function createServerObserver(
  options: ServerObserverOptions,
): (volumeName: string, signal: AbortSignal) => Promise<Observation> {
  const { client, nodesOf, sharing } = options;

  return async (name, signal) => {
    const volume = await find(client, persistentVolumes, { name }, { signal });
    if (volume === undefined) {
      return { source: 'server', volume, claimUid: undefined, attachedTo: [], sharedWith: [] };
    }
    const claimUid = await findClaimUid(client, volume, signal);
    const names = [name];
    const sharedWith: string[] = [];
    for (const { metadata } of sharing(volume)) {
      const other = await find(client, persistentVolumes, { name: metadata.name }, { signal });
      names.push(metadata.name);
      if (other !== undefined && needsStorage(other, await findClaimUid(client, other, signal))) {
        sharedWith.push(metadata.name);
      }
    }
    const attachedTo = await nodesOf(names);
    signal.throwIfAborted();
    return { source: 'server', volume, claimUid, attachedTo, sharedWith };
  };
}
