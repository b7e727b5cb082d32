import {
  keyOf,
  objectKey,
  persistentVolumeClaims,
  type ObjectKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { listAll, type ApiClient, type RequestOptions, type Scope } from '@holdfast/runtime';
import { askedTogether } from '../asked-together.ts';
import { slimClaim } from '../slim.ts';
import { findAnyVolume, listAnyVolumes } from './any-volume.ts';
import { claimThatIsNamed, findClaim } from './live-need.ts';

/** Volumes and their claims as the API server has them, at a moment after the look was asked for. */
export interface LiveLook {
  volume(key: ObjectKey, options: RequestOptions): Promise<PersistentVolume | undefined>;
  /** The claim at the namespace and name of the volume's `claimRef`; undefined: there is none. */
  claim(volume: PersistentVolume, options: RequestOptions): Promise<PersistentVolumeClaim | undefined>;
}

/** From this many volumes on, two lists cost less than a request for each of them and its claim. */
const manyVolumes = 32;

/**
 * @param listed the namespaces whose claims are listed, asked at each look; undefined among them: all. A claim elsewhere, in a namespace that
 *   can't be read or to which a volume has come since the cache was asked, is read by itself, which fails where that is not allowed.
 * @returns a function of how many volumes are to be looked at; it throws what the client throws, and so do the looks.
 */
export function createLiveLook(
  client: Pick<ApiClient, 'get' | 'listPages'>,
  listed: () => readonly Scope[],
): (volumes: number) => Promise<LiveLook> {
  const eachByItself: LiveLook = {
    volume: (name, options) => findAnyVolume(client, name, options),
    claim: (volume, options) => findClaim(client, volume, options),
  };

  const allAtOnce = askedTogether(async (): Promise<LiveLook> => {
    const volumes = new Map<ObjectKey, PersistentVolume>();
    for await (const volume of listAnyVolumes(client)) {
      volumes.set(objectKey(volume), volume);
    }
    // After the volumes: a claim that is gone by its UID does not come back.
    const claims = new Map<ObjectKey, PersistentVolumeClaim>();
    /** Claims that can't be read are asked for by themselves; where one has no name, so are all. */
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
        claims.set(objectKey(claim), claim);
      }
    }
    return {
      volume: (key) => Promise.resolve(volumes.get(key)),
      claim: (volume, options) => {
        const claim = claimThatIsNamed(volume);
        const isListed = scopes.includes(undefined) || scopes.includes(claim?.namespace);
        return isListed && isWhole && !(claim !== undefined && odd.has(keyOf(claim)))
          ? Promise.resolve(claim === undefined ? undefined : claims.get(keyOf(claim)))
          : findClaim(client, volume, options);
      },
    };
  });

  return (volumes) => (volumes < manyVolumes ? Promise.resolve(eachByItself) : allAtOnce());
}
