import type { PersistentVolume } from '@holdfast/core';
import { checkLook, type ApiClient, type Clock, type Look, type Tenure } from '@holdfast/runtime';
import type { CsiDrivers } from './csi/csi-drivers.ts';
import { csiVolumeOf } from './csi-migration.ts';
import type { OurKeeper } from './decide/snapshot.ts';
import type { InTreePlugin } from './in-tree/in-tree-plugin.ts';
import { OvertakenError } from './overtaken-error.ts';
import { namesSameSecret, provisionerSecret, type ProvisionerSecret } from './provisioner-secret.ts';
import type { StorageDeletionOptions } from './storage-deletion.ts';
import { storageIdentityOf, storagesOverlap, type StorageIdentity } from './storage-identity.ts';

export interface DeletionOptions {
  /** The look at the API server which shows that the volume is to be deleted. */
  readonly look: Look;
  /**
   * Passed to what deletes the storage (`StorageDeletionOptions`). Meanwhile the deletion is under way for other
   * volumes, and the look is judged before and after.
   */
  readonly announce: StorageDeletionOptions['announce'];
  readonly signal: AbortSignal;
}

/** Deletes volumes on their storage. */
export interface VolumeDeleter {
  /** Returns whether one of our own in-tree plugins can delete the volume. */
  canDeleteInTree(volume: PersistentVolume): boolean;
  /** Returns whether storage of the volume, or a part of it, is being deleted by this process. */
  readonly isUnderWay: (volume: PersistentVolume) => boolean;
  /**
   * Does what might take time before the look that the deletion is based on, so that it does not age the
   * look: reads the secrets for the driver, and waits until no deletion of overlapping storage is under way.
   *
   * @param volume as the cache has it.
   * @returns the deletion, which throws the error if something could not be read.
   * @throws the signal's reason when aborted.
   */
  prepare(volume: PersistentVolume, keeper: OurKeeper, signal: AbortSignal): Promise<PreparedDeletion>;
}

/** How a deletion was confirmed. */
export interface Deleted {
  /**
   * The Secret that the driver should have received and that does not exist; undefined if there is none. Some
   * drivers then delete nothing, and report success (csi-driver-smb).
   */
  readonly withoutSecret: string | undefined;
}

export interface PreparedDeletion {
  /**
   * Resolves when the storage system has confirmed that the volume is gone. Two calls for overlapping storage
   * are never under way at once: the second waits for the end of the first, and only then makes its own call.
   * The look, and what the watch has brought since, are judged right before the call to the driver is sent or
   * the first file is removed. Secrets are read again if the volume names others by now.
   *
   * @param volume whole, as the API server has it.
   * @throws TenureOver if the lease has ended; LookTooOld or OvertakenError if nothing was begun because the
   *   look had grown too old or the cache disagrees by now; DriverNotReadyError, CsiError; Error saying why
   *   it cannot or must not be deleted.
   */
  delete(volume: PersistentVolume, keeper: OurKeeper, options: DeletionOptions): Promise<Deleted>;
}

export interface VolumeDeleterOptions {
  readonly client: Pick<ApiClient, 'get'>;
  readonly drivers: Pick<CsiDrivers, 'deleteVolume'>;
  readonly plugins: readonly InTreePlugin[];
  /** The clock by which the client measures the age of looks. */
  readonly lookClock: Pick<Clock, 'now'>;
  /** Returns whether this volume is still to be deleted according to the cache. */
  readonly isReleasedInCache: (volume: PersistentVolume) => boolean;
  /**
   * Asked right before a deletion begins, and before each file: a look can outlast the lease, and a stopped
   * process both.
   */
  readonly tenure: Pick<Tenure, 'check'>;
}

interface Deletion {
  readonly storage: StorageIdentity;
  readonly done: Promise<Deleted>;
}

export function createVolumeDeleter(options: VolumeDeleterOptions): VolumeDeleter {
  const { client, drivers, plugins, lookClock, isReleasedInCache, tenure } = options;
  const underWay = new Set<Deletion>();
  const pluginOf = (volume: PersistentVolume): InTreePlugin | undefined =>
    plugins.find((plugin) => plugin.canDelete(volume));

  const overlapping = (storage: StorageIdentity): Deletion | undefined =>
    // There are no more than workers.
    [...underWay].find((other) => storagesOverlap(storage, other.storage));

  const deleteNow = async (
    volume: PersistentVolume,
    keeper: OurKeeper,
    secretOf: (
      volume: PersistentVolume,
      options: Pick<DeletionOptions, 'look' | 'signal'>,
    ) => Promise<ProvisionerSecret>,
    { look, announce: announceTo, signal }: DeletionOptions,
  ): Promise<Deleted> => {
    const beforeDeletion = (): void => {
      tenure.check();
      checkLook(look, lookClock.now());
      // The look can be minutes old where looks take long, and the watch is seldom behind by more than
      // moments.
      if (!isReleasedInCache(volume)) {
        throw new OvertakenError(`volume ${volume.metadata.name} has changed since it was looked at`);
      }
    };
    const announce: DeletionOptions['announce'] = async (beside) => {
      beforeDeletion();
      await announceTo(beside);
    };
    switch (keeper.kind) {
      case 'csi': {
        const { driver, handle } = csiVolumeOf(volume);
        if (driver !== keeper.name || handle === '') {
          throw new Error(
            `volume ${volume.metadata.name} is "${handle}" of driver ${driver}, which ${keeper.name} can't delete`,
          );
        }
        const { values: secrets, missing } = await secretOf(volume, { look, signal });
        await drivers.deleteVolume({ driver, handle, secrets }, { announce, beforeDeletion, signal });
        return { withoutSecret: missing };
      }
      case 'inTree': {
        const plugin = pluginOf(volume);
        if (plugin === undefined) {
          throw new Error(`this process has no plugin that deletes volumes of ${keeper.name}`);
        }
        await plugin.delete(volume, { announce, beforeDeletion, beforeStep: () => tenure.check(), signal });
        return { withoutSecret: undefined };
      }
    }
  };

  return {
    canDeleteInTree: (volume) => pluginOf(volume) !== undefined,
    isUnderWay: (volume) => overlapping(storageOf(volume)) !== undefined,
    prepare: async (cached, keeper, signal) => {
      await overlapping(storageOf(cached))?.done.catch(() => undefined);
      const read = keeper.kind === 'csi' ? provisionerSecret(client, cached, { signal }) : undefined;
      // An error is thrown where the secrets are needed.
      await read?.catch(() => undefined);
      signal.throwIfAborted();
      const secretOf = (
        volume: PersistentVolume,
        { look, signal: now }: Pick<DeletionOptions, 'look' | 'signal'>,
      ): Promise<ProvisionerSecret> =>
        read !== undefined && namesSameSecret(cached, volume)
          ? read
          : provisionerSecret(client, volume, { look, signal: now });
      return {
        delete: async (volume, liveKeeper, deletionOptions) => {
          const storage = storageOf(volume);
          // No turn of the event loop passes between the last check and the new entry.
          for (let other = overlapping(storage); other !== undefined; other = overlapping(storage)) {
            await other.done.catch(() => undefined);
          }
          deletionOptions.signal.throwIfAborted();
          const deletion: Deletion = {
            storage,
            done: deleteNow(volume, liveKeeper, secretOf, deletionOptions),
          };
          underWay.add(deletion);
          try {
            return await deletion.done;
          } finally {
            underWay.delete(deletion);
          }
        },
      };
    },
  };
}

function storageOf(volume: PersistentVolume): StorageIdentity {
  return storageIdentityOf(volume) ?? ['uid', volume.metadata.uid];
}
