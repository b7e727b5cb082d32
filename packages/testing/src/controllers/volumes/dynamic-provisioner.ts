import {
  finalizers,
  hasFinalizer,
  isTerminating,
  objectKey,
  persistentVolumeClaims,
  persistentVolumes,
  removeFinalizerPatch,
  storageClasses,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import type { Draft } from '../api-client.ts';
import type { Controller } from '../controller.ts';
import { annotations } from './annotations.ts';
import { classOf } from './matching.ts';

export interface DynamicProvisionerOptions {
  /** The value of `provisioner` in storage classes that it serves. Default `stand-in.holdfast.dev`. */
  readonly provisioner?: string;
}

/**
 * Stands in for external-provisioner with a CSI driver whose storage is unlimited. It creates a volume for
 * each claim that the binder assigns to it, deletes released volumes with the policy Delete, and keeps its
 * finalizer on such volumes until then (KEP-2644).
 */
export function dynamicProvisioner(options: DynamicProvisionerOptions = {}): Controller {
  const { provisioner = 'stand-in.holdfast.dev' } = options;
  return {
    name: 'external-provisioner',
    async setUp({ client, watch }) {
      const classes = await watch(storageClasses, () => []);
      const claims = await watch(persistentVolumeClaims, ({ object }) => [`claim ${objectKey(object)}`]);
      const volumes = await watch(persistentVolumes, ({ object }) => [`volume ${objectKey(object)}`]);
      return async (key) => {
        const [kind, rest = ''] = key.split(' ');
        if (kind === 'claim') {
          const claim = claims.get(rest);
          const storageClass = claim === undefined ? undefined : classes.get(classOf(claim));
          if (claim === undefined || storageClass === undefined) {
            return undefined;
          }
          const draft = volumeFor(claim, storageClass, provisioner);
          const isAsked = claim.metadata.annotations?.[annotations.storageProvisioner] === provisioner;
          if (!isAsked || (claim.spec?.volumeName ?? '') !== '' || isTerminating(claim)) {
            return undefined;
          }
          const { name } = draft.metadata;
          if ((await client.get(persistentVolumes, { name })) === undefined) {
            await client.create(persistentVolumes, draft);
          }
          return undefined;
        }
        const volume = volumes.get(rest);
        if (volume?.metadata.annotations?.[annotations.provisionedBy] !== provisioner) {
          return undefined;
        }
        const { name, uid } = volume.metadata;
        const isToDelete =
          volume.status?.phase === 'Released' && volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
        if (isToDelete && !isTerminating(volume)) {
          await client.delete(persistentVolumes, { name }, { preconditions: { uid } });
        } else if (mayLetGo(volume)) {
          const patch = removeFinalizerPatch(volume, finalizers.externalProvisioner);
          await client.patch(persistentVolumes, { name }, patch);
        }
        return undefined;
      };
    },
  };
}

/** pv-protection is the first to hold a bound volume that is deleted. */
function mayLetGo(volume: PersistentVolume): boolean {
  return (
    isTerminating(volume) &&
    volume.status?.phase !== 'Bound' &&
    hasFinalizer(volume, finalizers.externalProvisioner) &&
    !hasFinalizer(volume, finalizers.pvProtection)
  );
}

function volumeFor(claim: PersistentVolumeClaim, storageClass: StorageClass, provisioner: string): Draft {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const volumeName = `pvc-${uid}`;
  return {
    metadata: {
      name: volumeName,
      annotations: { [annotations.provisionedBy]: provisioner },
      finalizers: [finalizers.externalProvisioner],
    },
    spec: {
      capacity: { storage: claim.spec?.resources?.requests?.['storage'] ?? '1Gi' },
      accessModes: claim.spec?.accessModes,
      volumeMode: claim.spec?.volumeMode,
      storageClassName: storageClass.metadata.name,
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      mountOptions: storageClass.mountOptions,
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
      csi: { driver: provisioner, volumeHandle: volumeName },
    },
  };
}
