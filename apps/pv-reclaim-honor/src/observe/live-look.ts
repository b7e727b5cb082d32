import {
  keyOf,
  objectKey,
  persistentVolumeClaims,
  type ObjectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { askedTogether, listAll, type ApiClient, type RequestOptions, type Scope } from '@holdfast/runtime';
import { slimClaim } from '../slim.ts';
import { findAnyVolume, listAnyVolumes } from './any-volume.ts';
import { claimElsewhere, type ClaimsByUid } from './claim-elsewhere.ts';
import { claimThatIsNamed } from './claim-of.ts';
import { findClaim } from './live-need.ts';

/** Volumes and their claims as the API server has them, at a moment after the look was requested. */
export interface LiveLook {
  volume(key: ObjectKey, options: RequestOptions): Promise<PersistentVolume | undefined>;
  /** Returns the claim of the volume, as {@link findClaim} does. */
  claim(volume: PersistentVolume, options: RequestOptions): Promise<PersistentVolumeClaim | undefined>;
}

/** From this many volumes on, two lists cost less than a request for each of them and its claim. */
const manyVolumes = 32;

/**
 * @param claims the cache, see {@link findClaim}.
 * @param listed returns the namespaces whose claims are listed, at each look; if undefined is among them,
 *   all. Other claims are read one by one, in a namespace that cannot be listed or that a volume has come to
 *   refer to since; this fails if it is not allowed.
 * @returns a function of the number of volumes to look at; it throws what the client throws, and so do the
 *   looks.
 */
export function createLiveLook(
  client: Pick<ApiClient, 'get' | 'listPages'>,
  claims: ClaimsByUid,
  listed: () => readonly Scope[],
): (volumes: number) => Promise<LiveLook> {
  const eachByItself: LiveLook = {
    volume: (name, options) => findAnyVolume(client, name, options),
    claim: (volume, options) => findClaim({ client, claims }, volume, options),
  };

  const allAtOnce = askedTogether(async (): Promise<LiveLook> => {
    const volumes = new Map<ObjectKey, PersistentVolume>();
    for await (const volume of listAnyVolumes(client)) {
      volumes.set(objectKey(volume), volume);
    }
    // After the volumes, because a claim whose UID is gone does not come back.
    const found = new Map<ObjectKey, PersistentVolumeClaim>();
    /** Unreadable claims are requested one by one; if one has no name, all claims are. */
    const odd = new Set<ObjectKey>();
    let isWhole = true as boolean;
    const scopes = listed();
    for (const scope of scopes) {
      for await (const claim of listAll(client, persistentVolumeClaims, {
        ...(scope === undefined ? {} : { namespace: scope }),
        projection: slimClaim,
        onUnreadable: ({ key }) => {
          if (key === undefined) {
            isWhole = false;
          } else {
            odd.add(key);
          }
        },
      })) {
        found.set(objectKey(claim), claim);
      }
    }
    return {
      volume: (key) => Promise.resolve(volumes.get(key)),
      claim: (volume, options) => {
        const claim = claimThatIsNamed(volume);
        const isListed = scopes.includes(undefined) || scopes.includes(claim?.namespace);
        return isListed &&
          isWhole &&
          !(claim !== undefined && odd.has(keyOf(claim))) &&
          claimElsewhere(claims, volume) === undefined
          ? Promise.resolve(claim === undefined ? undefined : found.get(keyOf(claim)))
          : findClaim({ client, claims }, volume, options);
      },
    };
  });

  return (volumes) => (volumes < manyVolumes ? Promise.resolve(eachByItself) : allAtOnce());
}
