import { persistentVolumeClaims, persistentVolumes, volumeAttachments } from '@holdfast/core';
import { createProjection } from '@holdfast/runtime';
import { keeperAnnotations } from './keeper.ts';

const [provisionedBy, migratedTo, heldBy] = keeperAnnotations;

/**
 * The fields of a volume that say whose it is, and what holds it, what it is on the storage system, and how far its life has come. Of a source only
 * what makes its identity, see storage-identity.ts; a deletion reads the whole volume anew.
 */
export const slimVolume = createProjection(persistentVolumes, {
  metadata: {
    deletionTimestamp: true,
    finalizers: true,
    labels: { 'failure-domain.beta.kubernetes.io/zone': true, 'topology.kubernetes.io/zone': true },
    annotations: {
      [provisionedBy]: true,
      [migratedTo]: true,
      [heldBy]: true,
      'kubernetes.io/azure-file-resource-group': true,
    },
  },
  spec: {
    persistentVolumeReclaimPolicy: true,
    claimRef: { namespace: true, name: true, uid: true },
    csi: { driver: true, volumeHandle: true },
    awsElasticBlockStore: { volumeID: true },
    azureDisk: { diskURI: true, kind: true },
    azureFile: { secretName: true, secretNamespace: true, shareName: true },
    cephfs: {},
    cinder: { volumeID: true },
    fc: {},
    flocker: {},
    gcePersistentDisk: { pdName: true },
    glusterfs: {},
    hostPath: { path: true },
    iscsi: {},
    local: { path: true },
    nfs: { server: true, path: true },
    photonPersistentDisk: {},
    portworxVolume: { volumeID: true },
    quobyte: {},
    rbd: {},
    scaleIO: {},
    storageos: {},
    vsphereVolume: { volumePath: true },
  },
  status: { phase: true },
});

/** Of a claim nothing is read but that it exists, and its UID. */
export const slimClaim = createProjection(persistentVolumeClaims, {});

/** The fields of an attachment that say which volume is attached to which node. */
export const slimVolumeAttachment = createProjection(volumeAttachments, {
  spec: { nodeName: true, source: { persistentVolumeName: true } },
});
