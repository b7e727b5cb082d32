import { persistentVolumeClaims, type PersistentVolume } from '@holdfast/core';
import { find, type ApiClient, type RequestOptions } from '@holdfast/runtime';
import { claimOf } from './claim-of.ts';
import { needsStorage } from './needs-storage.ts';

/** UID of the claim at the namespace and name of the volume's `claimRef`, by the API server; undefined: there is none. */
export async function findClaimUid(
  client: Pick<ApiClient, 'get'>,
  volume: PersistentVolume,
  options: RequestOptions,
): Promise<string | undefined> {
  const claim = claimOf(volume);
  return claim === undefined
    ? undefined
    : (await find(client, persistentVolumeClaims, claim, options))?.metadata.uid;
}

export interface LiveNeedOptions {
  readonly client: Pick<ApiClient, 'get'>;
  /** The nodes to which any of these volumes is attached, by a list begun after the question. */
  readonly nodesOf: (volumeNames: readonly string[]) => Promise<readonly string[]>;
}

/**
 * Whether the storage must stay for the sake of a volume, by the API server: for the volume's policy and claim, or since it is attached.
 *
 * @returns a function of the volume as the API server has it, that throws what the client throws.
 */
export function createLiveNeed({
  client,
  nodesOf,
}: LiveNeedOptions): (volume: PersistentVolume, signal: AbortSignal) => Promise<boolean> {
  return async (volume, signal) =>
    needsStorage(volume, await findClaimUid(client, volume, { signal })) ||
    (await nodesOf([volume.metadata.name])).length > 0;
}
