import { persistentVolumeClaims, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import { find, type ApiClient, type RequestOptions } from '@holdfast/runtime';
import type { UndoWindows } from '../undo/undo-windows.ts';
import { claimOf } from './claim-of.ts';
import { needsStorage } from './needs-storage.ts';

/** The claim at the namespace and name of the volume's `claimRef`, by the API server; undefined: there is none. */
export async function findClaim(
  client: Pick<ApiClient, 'get'>,
  volume: PersistentVolume,
  options: RequestOptions,
): Promise<PersistentVolumeClaim | undefined> {
  const claim = claimOf(volume);
  if (claim === undefined) {
    return undefined;
  }
  const found = await find(client, persistentVolumeClaims, claim, options);
  // Of a claim that can't be read it is not known that it is another.
  return found === undefined || hasUid(found)
    ? found
    : { metadata: { ...claim, uid: volume.spec?.claimRef?.uid ?? '', resourceVersion: '' } };
}

function hasUid(claim: unknown): boolean {
  const { metadata } = (claim ?? {}) as { readonly metadata?: { readonly uid?: unknown } | null };
  return typeof metadata?.uid === 'string';
}

export interface LiveNeedOptions {
  readonly client: Pick<ApiClient, 'get'>;
  /** The nodes to which any of these volumes is attached, by a list begun after the question. */
  readonly nodesOf: (volumes: readonly PersistentVolume[]) => Promise<readonly string[]>;
  readonly undoWindows: Pick<UndoWindows, 'openLook'>;
}

/**
 * Whether the storage must stay for the sake of a volume, by the API server: for the volume's policy, claim or undo window, or since it is
 * attached.
 *
 * @returns a function of the volume as the API server has it, that throws what the client throws.
 */
export function createLiveNeed({
  client,
  nodesOf,
  undoWindows,
}: LiveNeedOptions): (volume: PersistentVolume, signal: AbortSignal) => Promise<boolean> {
  return async (volume, signal) => {
    const claim = await findClaim(client, volume, { signal });
    const undo = await undoWindows.openLook()(volume, claim, { signal });
    return needsStorage(volume, claim?.metadata.uid, undo) || (await nodesOf([volume])).length > 0;
  };
}
