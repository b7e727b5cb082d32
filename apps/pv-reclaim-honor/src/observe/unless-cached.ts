import { persistentVolumes, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import { createProjection, type Projection } from '@holdfast/runtime';

/** The volumes that the cache has, by name. A list does not have to repeat them. */
export interface CachedVolumes {
  get(name: ObjectKey): PersistentVolume | undefined;
}

/** Reads only what identifies a volume. */
const identity = createProjection(persistentVolumes, {});

/**
 * Creates a projection that first reads the identity of each volume, and returns the object in the cache if
 * that has the same UID and version. Reading an identity takes a fraction of the time for a volume's fields,
 * and leaves no garbage behind.
 *
 * @param projection for all other volumes; it must be the one with which the objects in the cache were read.
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
