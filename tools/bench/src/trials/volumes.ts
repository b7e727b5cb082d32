import { collectionPath, finalizers, persistentVolumes, type PersistentVolume } from '@holdfast/core';
import { json, type ClusterApi } from '../cluster-api.ts';

export const volumesPath = collectionPath(persistentVolumes);

export interface VolumeWanted {
  readonly name: string;
  readonly driver: string;
  /** Default: its name. */
  readonly handle?: string;
  readonly phase: 'Bound' | 'Released';
}

/** Deletes all volumes, whatever finalizers they have. No app must run. */
export async function removeVolumes(api: ClusterApi): Promise<void> {
  await api.delete(volumesPath);
  const { items } = await api.get<{ readonly items: readonly PersistentVolume[] | null }>(volumesPath, json);
  await Promise.all(
    (items ?? []).map(({ metadata }) =>
      api.mergePatch(`${volumesPath}/${metadata.name}`, { metadata: { finalizers: null } }),
    ),
  );
}

/**
 * Makes a volume of policy Delete as a binder leaves it. A bound one is not held yet; a released one is held, and its claim is gone.
 *
 * The claim of a bound one is not made: whoever holds volumes goes by their phase.
 */
export async function createVolume(api: ClusterApi, wanted: VolumeWanted): Promise<void> {
  const { name, driver, handle = name, phase } = wanted;
  await api.post(volumesPath, {
    metadata: {
      name,
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
