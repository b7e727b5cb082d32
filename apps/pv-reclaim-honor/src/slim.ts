import {
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  volumeAttachments,
  type PersistentVolume,
} from '@holdfast/core';
import { createProjection, type Projection } from '@holdfast/runtime';
import { deletionBegunAnnotation } from './decide/deletion-begun.ts';
import { markAnnotations } from './decide/undo-mark.ts';
import { reclaimPolicyAnnotation } from './decide/undo-window.ts';
import { keeperAnnotations } from './keeper.ts';
import { bindCompletedAnnotation } from './observe/bound-claim.ts';
import { betaClassAnnotation, deletionSecretAnnotations } from './provisioner-secret.ts';
import { storageAttributesOf } from './storage-identity.ts';
import { reclaimGraceAnnotation } from './undo/window-request.ts';

const [provisionedBy, migratedTo, heldBy] = keeperAnnotations;
const [deleteAfter, deleteAfterUid, deleteAfterClaimUid] = markAnnotations;

/**
 * {@link slimVolume} with all attributes of a CSI volume and the reference to its Secret: a projection
 * matches names in one case only.
 */
const withAttributes = createProjection(persistentVolumes, {
  metadata: {
    deletionTimestamp: true,
    finalizers: true,
    labels: { 'failure-domain.beta.kubernetes.io/zone': true, 'topology.kubernetes.io/zone': true },
    annotations: {
      [provisionedBy]: true,
      [migratedTo]: true,
      [heldBy]: true,
      'kubernetes.io/azure-file-resource-group': true,
      [betaClassAnnotation]: true,
      [deletionSecretAnnotations.name]: true,
      [deletionSecretAnnotations.namespace]: true,
      [reclaimGraceAnnotation]: true,
      [reclaimPolicyAnnotation]: true,
      [deleteAfter]: true,
      [deleteAfterUid]: true,
      [deleteAfterClaimUid]: true,
      [deletionBegunAnnotation]: true,
    },
  },
  spec: {
    persistentVolumeReclaimPolicy: true,
    storageClassName: true,
    claimRef: { namespace: true, name: true, uid: true },
    nodeAffinity: { required: {} },
    csi: { driver: true, volumeHandle: true, volumeAttributes: true, nodeStageSecretRef: { name: true } },
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

/**
 * The fields of a volume that show whose it is, what holds it, what it is on the storage system, and how far
 * its life has come. Of a source it keeps only what identifies the storage, see storage-identity.ts, and what
 * names the Secret that is read before a deletion is decided on. A deletion reads the whole volume again.
 */
export const slimVolume: Projection<PersistentVolume> = {
  fromJson: (volume) => withStorageAttributes(withAttributes.fromJson(volume)),
  ...(withAttributes.fromProtobuf === undefined
    ? {}
    : { fromProtobuf: afterReading(withAttributes.fromProtobuf, withStorageAttributes) }),
};

function afterReading(
  read: NonNullable<Projection<PersistentVolume>['fromProtobuf']>,
  change: (volume: PersistentVolume) => PersistentVolume,
): typeof read {
  return (cursor, end) => change(read(cursor, end) as PersistentVolume);
}

/** Keeps the attributes that identify the storage, and the reference to its Secret if that does. */
function withStorageAttributes(volume: PersistentVolume): PersistentVolume {
  const { spec } = volume;
  if (spec?.csi?.volumeAttributes === undefined && spec?.csi?.nodeStageSecretRef === undefined) {
    return volume;
  }
  const { volumeAttributes = {}, nodeStageSecretRef, ...csi } = spec.csi;
  const kept = storageAttributesOf(csi.driver, volumeAttributes);
  const storage =
    kept === undefined
      ? {}
      : { volumeAttributes: kept, ...(nodeStageSecretRef === undefined ? {} : { nodeStageSecretRef }) };
  return { ...volume, spec: { ...spec, csi: { ...csi, ...storage } } };
}

/** Keeps the identity of a claim, the volume that it asks for or has, and whether it is bound to it. */
export const slimClaim = createProjection(persistentVolumeClaims, {
  metadata: { deletionTimestamp: true, annotations: { [bindCompletedAnnotation]: true } },
  spec: { volumeName: true },
});

/** Keeps only the undo window that a class asks for. */
export const slimClass = createProjection(storageClasses, {
  metadata: { annotations: { [reclaimGraceAnnotation]: true } },
});

/**
 * The fields of an attachment that show which volume is attached to which node, or else the storage that a
 * pod names itself, or else its driver.
 */
export const slimVolumeAttachment = createProjection(volumeAttachments, {
  spec: {
    attacher: true,
    nodeName: true,
    source: {
      persistentVolumeName: true,
      inlineVolumeSpec: { csi: { driver: true, volumeHandle: true } },
    },
  },
});
