import {
  persistentVolumeClaims,
  type ObjectRef,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { find, type ApiClient, type RequestOptions } from '@holdfast/runtime';
import type { UndoWindows } from '../undo/undo-windows.ts';
import { claimOf } from './claim-of.ts';
import { needsStorage } from './needs-storage.ts';

/**
 * The claim at the namespace and name of the volume's `claimRef`, by the API server; undefined: there is none.
 *
 * @throws UnreadableObject of a claim without a UID: that it is another is not known.
 */
export async function findClaim(
  client: Pick<ApiClient, 'get'>,
  volume: PersistentVolume,
  options: RequestOptions,
): Promise<PersistentVolumeClaim | undefined> {
  const claim = claimThatIsNamed(volume);
  return claim === undefined ? undefined : find(client, persistentVolumeClaims, claim, options);
}

/**
 * {@link claimOf}, where only a volume that no claim has had may count as one without a claim.
 *
 * @throws Error of a `claimRef` with the UID of a claim and without its name: whether that claim is there is not known.
 */
export function claimThatIsNamed(volume: PersistentVolume): ObjectRef | undefined {
  const claim = claimOf(volume);
  if (claim === undefined && (volume.spec?.claimRef?.uid ?? '') !== '') {
    throw new Error(
      `claimRef of volume "${volume.metadata.name}" has no name: whether its claim is there is not known; set spec.claimRef.name`,
    );
  }
  return claim;
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
