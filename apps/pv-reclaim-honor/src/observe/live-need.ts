import { persistentVolumeClaims, type PersistentVolume, type PersistentVolumeClaim } from '@holdfast/core';
import { find, type ApiClient, type RequestOptions } from '@holdfast/runtime';
import type { UndoWindows } from '../undo/undo-windows.ts';
import { findBoundElsewhere, type ClaimsByVolume } from './bound-elsewhere.ts';
import { claimElsewhere, type ClaimsByUid } from './claim-elsewhere.ts';
import { claimThatIsNamed } from './claim-of.ts';
import { needsStorage } from './needs-storage.ts';

/** Where claims are looked for. */
export interface ClaimSources {
  readonly client: Pick<ApiClient, 'get'>;
  /** The cache, which knows where a claim is of which only the UID or the volume is known. */
  readonly claims: ClaimsByUid & ClaimsByVolume;
}

/**
 * Returns the claim with the UID in the volume's `claimRef`, or else the one at its namespace and name, from
 * the API server; undefined if there is neither.
 *
 * @throws UnreadableObject for a claim without a UID: it is not known whether it is another claim.
 */
export async function findClaim(
  { client, claims }: ClaimSources,
  volume: PersistentVolume,
  options: RequestOptions,
): Promise<PersistentVolumeClaim | undefined> {
  const claim = claimThatIsNamed(volume);
  const elsewhere = claimElsewhere(claims, volume);
  if (elsewhere !== undefined) {
    const { namespace = '', name, uid } = elsewhere.metadata;
    const found = await find(client, persistentVolumeClaims, { namespace, name }, options);
    if (found?.metadata.uid === uid) {
      return found;
    }
  }
  return claim === undefined ? undefined : find(client, persistentVolumeClaims, claim, options);
}

export interface LiveNeedOptions extends ClaimSources {
  /** Returns the nodes to which any of these volumes is attached, from a list begun after the call. */
  readonly nodesOf: (volumes: readonly PersistentVolume[]) => Promise<readonly string[]>;
  readonly undoWindows: Pick<UndoWindows, 'openLook'>;
}

/**
 * Decides whether the storage must stay because of a volume, according to the API server: because of the
 * volume's policy, claim or undo window, or because it is attached.
 *
 * @returns opens a look at volumes that have all been read from the API server before. It returns a function of such
 *   a volume, which throws what the client throws.
 */
export function createLiveNeed({
  client,
  claims,
  nodesOf,
  undoWindows,
}: LiveNeedOptions): () => (volume: PersistentVolume, signal: AbortSignal) => Promise<boolean> {
  return () => {
    const windows = undoWindows.openLook();
    return async (volume, signal) => {
      const claim = await findClaim({ client, claims }, volume, { signal });
      const facts = await windows.facts(volume, claim, { signal });
      const undo = await windows.confirmed(volume, facts, { signal });
      return (
        needsStorage(volume, claim, undo) ||
        (await findBoundElsewhere({ client, claims }, volume, { signal })) !== undefined ||
        (await nodesOf([volume])).length > 0
      );
    };
  };
}
