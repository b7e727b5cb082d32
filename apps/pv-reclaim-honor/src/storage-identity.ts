import type { PersistentVolume } from '@holdfast/core';
import type { IndexFunction, Store } from '@holdfast/runtime';
import { csiVolumeOf } from './csi-migration.ts';

/*
 * The one place that says what a volume is on its storage system, and which volumes are over the same storage. Finding them, and
 * keeping two deletions apart, both go by it.
 */

/**
 * A text that two volumes share when they are the same volume on the storage system, by whatever objects they are known;
 * undefined when that can't be known.
 */
export function storageKeyOf(volume: PersistentVolume): string | undefined {
  const { spec } = volume;
  if (spec?.hostPath !== undefined) {
    return `kubernetes.io/host-path ${spec.hostPath.path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')}`;
  }
  try {
    const { driver, handle } = csiVolumeOf(volume);
    return `${driver} ${handle}`;
  } catch {
    return undefined;
  }
}

/** Indexes volumes by their storage, for {@link volumesSharing}. */
export const indexByStorage: IndexFunction<PersistentVolume> = (volume) => {
  const key = storageKeyOf(volume);
  return key === undefined ? [] : [key];
};

/**
 * The other volumes over the same storage.
 *
 * @param index name of the store's index by {@link indexByStorage}.
 */
export function volumesSharing(
  volume: PersistentVolume,
  volumes: Pick<Store<PersistentVolume>, 'byIndex'>,
  index: string,
): readonly PersistentVolume[] {
  return indexByStorage(volume)
    .flatMap((key) => volumes.byIndex(index, key))
    .filter(({ metadata }) => metadata.uid !== volume.metadata.uid);
}
