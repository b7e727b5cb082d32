import { collectionPath, finalizers, persistentVolumes, type PersistentVolume } from '@holdfast/core';
import { json, type ClusterApi } from '../cluster-api.ts';
import { eachAtOnce } from '../each-at-once.ts';

export const volumesPath = collectionPath(persistentVolumes);

export interface VolumeWanted {
  readonly name: string;
  readonly phase: 'Bound' | 'Released';
  readonly driver: string;
  /** Default: the volume's name. */
  readonly handle?: string;
}

/** Deletes all volumes, whatever finalizers they have. No app may be running. */
export async function removeVolumes(api: ClusterApi): Promise<void> {
  const present = async (): Promise<readonly PersistentVolume[]> =>
    (await api.get<{ readonly items: readonly PersistentVolume[] | null }>(volumesPath, json)).items ?? [];
  // One request for each: the API server deletes a collection sequentially, and gives up after a minute.
  await eachAtOnce(await present(), ({ metadata }) => api.delete(`${volumesPath}/${metadata.name}`));
  await eachAtOnce(await present(), ({ metadata }) =>
    api.mergePatch(`${volumesPath}/${metadata.name}`, { metadata: { finalizers: null } }),
  );
}

/**
 * Creates a volume with policy Delete in the state in which a binder leaves it. A bound one is not held yet;
 * a released one is held, and its claim is gone.
 *
 * The claim of a bound volume is not created, because controllers that hold volumes judge them by their
 * phase.
 */
export async function createVolume(api: ClusterApi, wanted: VolumeWanted): Promise<void> {
  const { name, phase, driver, handle = name } = wanted;
  await api.post(volumesPath, {
    metadata: {
      name,
      // As external-provisioner makes them for a class without a provisioner secret. It deletes only volumes
      // that name its driver.
      annotations: {
        'pv.kubernetes.io/provisioned-by': driver,
        'volume.kubernetes.io/provisioner-deletion-secret-name': '',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
      },
      ...(phase === 'Released' ? { finalizers: [finalizers.externalProvisioner] } : {}),
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'none',
      csi: { driver, volumeHandle: handle },
      claimRef: { namespace: 'default', name, uid: crypto.randomUUID() },
    },
  });
  await api.mergePatch(`${volumesPath}/${name}/status`, { status: { phase } });
}

export function isHeld(volume: Pick<PersistentVolume, 'metadata'>): boolean {
  return volume.metadata.finalizers?.includes(finalizers.externalProvisioner) === true;
}
