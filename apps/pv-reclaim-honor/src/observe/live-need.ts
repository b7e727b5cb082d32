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
 * Returns the claim at the namespace and name in the volume's `claimRef`, from the API server; undefined if
 * there is none.
 *
 * @throws UnreadableObject for a claim without a UID: it is not known whether it is another claim.
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
 * Like {@link claimOf}, except that only a volume that has never had a claim counts as one without a claim.
 *
 * @throws Error for a `claimRef` with the UID of a claim but without its name: it is not known whether that
 *   claim exists.
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
  /** Returns the nodes to which any of these volumes is attached, from a list begun after the call. */
  readonly nodesOf: (volumes: readonly PersistentVolume[]) => Promise<readonly string[]>;
  readonly undoWindows: Pick<UndoWindows, 'openLook'>;
}

/**
 * Decides whether the storage must stay because of a volume, according to the API server: because of the
 * volume's policy, claim or undo window, or because it is attached.
 *
 * @returns a function of the volume as the API server has it; it throws what the client throws.
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
