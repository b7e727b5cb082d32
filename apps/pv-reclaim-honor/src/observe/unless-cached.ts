import { persistentVolumes, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import { createProjection, type Projection } from '@holdfast/runtime';

/** The volumes that the cache has, by name; of these, what a list shows of them is no news. */
export interface CachedVolumes {
  get(name: ObjectKey): PersistentVolume | undefined;
}

/** What a volume is known by, and nothing else of it. */
const identity = createProjection(persistentVolumes, {});

/**
 * A projection that reads of each volume its identity first, and gives back the very object of the cache where that has it by the same UID and in the same version: to
 * read an identity takes a fraction of the time that the fields of a volume do, and leaves no garbage behind.
 *
 * @param projection reads all others, and must be the one that the objects in the cache were read by.
 */
export function unlessCached(
  projection: Projection<PersistentVolume>,
  cache: CachedVolumes,
): Projection<PersistentVolume> {
  const cached = ({ metadata }: Partial<PersistentVolume>): PersistentVolume | undefined => {
    const known = metadata?.name === undefined ? undefined : cache.get(metadata.name);
    return known?.metadata.uid === metadata?.uid &&
      known?.metadata.resourceVersion === metadata?.resourceVersion
      ? known
      : undefined;
  };
  const { fromProtobuf } = projection;
  const identify = identity.fromProtobuf;
  return {
    fromJson: (volume) => cached(identity.fromJson(volume)) ?? projection.fromJson(volume),
    ...(fromProtobuf === undefined || identify === undefined
      ? {}
      : {
          fromProtobuf: (cursor, end) => {
            const start = cursor.at;
            const known = cached(identify(cursor, end));
            if (known !== undefined) {
              return known;
            }
            cursor.at = start;
            return fromProtobuf(cursor, end);
          },
        }),
  };
}
