import {
  keyOf,
  objectKey,
  persistentVolumeClaims,
  type ObjectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { find, type ApiClient, type RequestOptions, type Store } from '@holdfast/runtime';
import { boundVolumeOf, isBoundTo } from './bound-claim.ts';
import { claimOf } from './claim-of.ts';

/** The claims in the cache, by the volumes to which they say that they are bound. */
export type ClaimsByVolume = Pick<Store<PersistentVolumeClaim>, 'byIndex'>;

/** The index that {@link ClaimsByVolume} needs. */
export const claimsByVolume = {
  boundTo: (claim: PersistentVolumeClaim): readonly string[] => {
    const name = boundVolumeOf(claim);
    return name === undefined ? [] : [name];
  },
};

/**
 * Returns a claim in the cache that says that it is bound to the volume, and is not at the namespace and name in
 * `claimRef`; undefined if there is none.
 *
 * Volume populators and tools that rename claims put another claim into the `claimRef` of a bound volume. The first
 * claim is called Lost then, although pods might use it, and stays until it is deleted. If the second one goes before
 * it, as when the renaming is given up, the binder releases the volume.
 */
export function cachedBoundElsewhere(
  claims: ClaimsByVolume,
  volume: PersistentVolume,
): ObjectKey | undefined {
  // One of two is another one. All of them might be thousands, and this is asked at the change of each.
  const [first] = boundElsewhere(claims, volume, 2);
  return first === undefined ? undefined : objectKey(first);
}

/**
 * Like {@link cachedBoundElsewhere}, for a claim that exists and says so on the API server, too. Only the cache knows
 * where it is. A claim that it lacks was created a moment ago, and no pod has used the volume by it.
 *
 * @throws what the client throws.
 */
export async function findBoundElsewhere(
  { client, claims }: { readonly client: Pick<ApiClient, 'get'>; readonly claims: ClaimsByVolume },
  volume: PersistentVolume,
  options: RequestOptions,
): Promise<ObjectKey | undefined> {
  for (const { metadata } of boundElsewhere(claims, volume)) {
    const { namespace = '', name } = metadata;
    const found = await find(client, persistentVolumeClaims, { namespace, name }, options);
    if (found !== undefined && isBoundTo(found, volume)) {
      return keyOf({ namespace, name });
    }
  }
  return undefined;
}

function boundElsewhere(
  claims: ClaimsByVolume,
  volume: PersistentVolume,
  limit?: number,
): readonly PersistentVolumeClaim[] {
  const named = claimOf(volume);
  const key = named === undefined ? undefined : keyOf(named);
  return claims.byIndex('boundTo', volume.metadata.name, limit).filter((claim) => objectKey(claim) !== key);
}
