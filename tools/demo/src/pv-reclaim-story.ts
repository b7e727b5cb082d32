import { join } from 'node:path';
import {
  eventsV1,
  finalizers,
  hasFinalizer,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
} from '@holdfast/core';
import { startCsiDriver, type CsiDriver } from '@holdfast/testing';
import { StoryFailed } from './narrator.ts';
import type { PreparedStory } from './story.ts';
import { isGone, until } from './until.ts';

const namespace = 'reclaim';
const claimRef = { namespace, name: 'data' };
const volumeRef = { name: 'disk-1' };

/**
 * KEP-2644: a volume with policy Delete is deleted before its claim. Without the controller its storage would
 * be left behind. Needs the volume binder. The storage system is a CSI driver, started here, that keeps its
 * volumes as folders.
 */
export async function preparePvReclaim(folder: string): Promise<PreparedStory> {
  const volumesFolder = join(folder, 'volumes');
  const driver = await startCsiDriver({ folder: volumesFolder, socket: join(folder, 'csi.sock') });
  return {
    args: [`--csi-address=${driver.address}`],
    play: createPlay(driver, join(volumesFolder, volumeRef.name)),
    close: () => driver.stop(),
  };
}

function createPlay(driver: CsiDriver, diskFolder: string): PreparedStory['play'] {
  return async (client, narrator, signal) => {
    const volume = () => client.get(persistentVolumes, volumeRef);
    const isHeld = async (): Promise<boolean> => hasFinalizer(await volume(), finalizers.externalProvisioner);

    await narrator.step(`a volume on the storage system: folder ${diskFolder}`, async () => {
      await client.create(namespaces, undefined, { metadata: { name: namespace } });
      await driver.addVolume(volumeRef.name);
      await client.create(persistentVolumes, undefined, {
        metadata: { ...volumeRef, annotations: { 'pv.kubernetes.io/provisioned-by': driver.name } },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: namespace,
          csi: { driver: driver.name, volumeHandle: volumeRef.name },
        },
      });
      // If the stock binder loses a write to the protection controller, it retries only 15 s later.
      await until('the volume is protected and free', signal, async () => {
        const found = await volume();
        return found.status?.phase === 'Available' && hasFinalizer(found, finalizers.pvProtection);
      });
    });
    await narrator.step('claim data is bound to it', async () => {
      await client.create(persistentVolumeClaims, namespace, {
        metadata: { name: claimRef.name },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: namespace,
          volumeName: volumeRef.name,
        },
      });
      await until('the volume is bound', signal, async () => (await volume()).status?.phase === 'Bound');
    });
    await narrator.step(`the controller puts ${finalizers.externalProvisioner} on the volume`, () =>
      until('the volume has the finalizer', signal, isHeld),
    );
    await narrator.step('somebody deletes the volume first: it is terminating, but stays', async () => {
      await client.delete(persistentVolumes, volumeRef);
      const { metadata } = await volume();
      if (metadata.deletionTimestamp === undefined || !(await isHeld())) {
        throw new StoryFailed('the deleted volume should be terminating with its finalizer, but is not');
      }
    });
    await narrator.step('then the claim is deleted, and is gone', async () => {
      if (!driver.hasVolume(volumeRef.name)) {
        throw new StoryFailed('the folder should be there as long as the claim is, but is gone');
      }
      await client.delete(persistentVolumeClaims, claimRef);
      await until('the claim is gone', signal, () =>
        isGone(() => client.get(persistentVolumeClaims, claimRef)),
      );
    });
    await narrator.step(
      'the controller has the driver delete the folder, and lets the volume go',
      async () => {
        await until('the volume is gone', signal, () => isGone(volume));
        if (driver.hasVolume(volumeRef.name)) {
          throw new StoryFailed('the folder should be gone with the volume, but was left behind');
        }
      },
    );
    await narrator.step('an Event on the volume says so', () =>
      until('there is an Event', signal, async () =>
        (await client.list(eventsV1)).items.some(
          ({ reason, regarding }) => reason === 'VolumeReclaimed' && regarding?.name === volumeRef.name,
        ),
      ),
    );
  };
}
