import {
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  volumeAttachments,
} from '@holdfast/core';
import { createProjection } from '@holdfast/runtime';

/*
 * The fields on which the answers depend. Kinds with thousands of objects are read as protobuf, and only
 * these fields, so that the first line appears at once even among thousands of claims.
 */

const ownerReferences = [
  { apiVersion: true, kind: true, name: true, uid: true, controller: true, blockOwnerDeletion: true },
] as const;

export const claimFields = createProjection(persistentVolumeClaims, {
  metadata: {
    creationTimestamp: true,
    deletionTimestamp: true,
    annotations: true,
    finalizers: true,
    ownerReferences,
  },
  spec: { volumeName: true, storageClassName: true },
  status: { phase: true },
});

/** Whether a container runs. */
const containers = [{ state: { running: {} } }, { withAnyOf: ['state'] }] as const;

/** The fields of a pod that show its owner, the claims that it uses, and its phase. */
const podFields = {
  metadata: {
    deletionTimestamp: true,
    deletionGracePeriodSeconds: true,
    ownerReferences: [{ apiVersion: true, kind: true, name: true, uid: true, controller: true }],
  },
  spec: {
    nodeName: true,
    volumes: [
      { name: true, persistentVolumeClaim: { claimName: true }, ephemeral: {} },
      { withAnyOf: ['persistentVolumeClaim', 'ephemeral'] },
    ],
  },
  status: {
    phase: true,
    conditions: [{ type: true, status: true }],
    containerStatuses: containers,
    initContainerStatuses: containers,
    ephemeralContainerStatuses: containers,
  },
} as const;

export const usingPodFields = createProjection(pods, podFields);

export const setFields = createProjection(statefulSets, {
  metadata: {
    creationTimestamp: true,
    deletionTimestamp: true,
    annotations: true,
    finalizers: true,
  },
  spec: {
    replicas: true,
    ordinals: { start: true },
    persistentVolumeClaimRetentionPolicy: { whenDeleted: true, whenScaled: true },
    volumeClaimTemplates: [{ metadata: { name: true } }],
  },
});

export const volumeFields = createProjection(persistentVolumes, {
  metadata: { deletionTimestamp: true, annotations: true, finalizers: true },
  spec: {
    persistentVolumeReclaimPolicy: true,
    storageClassName: true,
    claimRef: { namespace: true, name: true, uid: true },
    csi: { driver: true, volumeHandle: true },
    // The in-tree sources that show whether a controller can delete the storage.
    ...{ cephfs: {}, fc: {}, hostPath: { path: true }, iscsi: {}, local: {}, nfs: {} },
  },
  status: { phase: true },
});

export const attachmentFields = createProjection(volumeAttachments, {
  metadata: { deletionTimestamp: true },
  spec: { attacher: true, nodeName: true, source: { persistentVolumeName: true, inlineVolumeSpec: {} } },
});
