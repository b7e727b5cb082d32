import { persistentVolumeClaims, pods, volumeAttachments } from '@holdfast/core';
import { createProjection } from '@holdfast/runtime';

const terminating = { deletionTimestamp: true, deletionGracePeriodSeconds: true } as const;

/** The fields of a claim that its protection and the condition read. */
export const slimClaim = createProjection(persistentVolumeClaims, {
  metadata: {
    ...terminating,
    finalizers: true,
    ownerReferences: [{ uid: true, controller: true }],
  },
  spec: { volumeName: true },
  status: { conditions: [{ type: true, status: true, message: true }] },
});

/** What is read of the answer to a patch; what became of the claim comes by the watch. */
export const patchedClaim = createProjection(persistentVolumeClaims, { metadata: { finalizers: true } });

/** Whether a container runs. */
const containers = [{ state: { running: {} } }, { withAnyOf: ['state'] }] as const;

/** The fields of a pod that tell whether it uses a claim; most pods of a cluster shrink to a few hundred bytes. */
export const slimPod = createProjection(pods, {
  metadata: terminating,
  spec: {
    nodeName: true,
    volumes: [
      { name: true, persistentVolumeClaim: { claimName: true }, ephemeral: {} },
      { withAnyOf: ['persistentVolumeClaim', 'ephemeral'] },
    ],
  },
  status: {
    phase: true,
    containerStatuses: containers,
    initContainerStatuses: containers,
    ephemeralContainerStatuses: containers,
  },
});

/** The fields of an attachment that say which volume is attached to which node. */
export const slimVolumeAttachment = createProjection(volumeAttachments, {
  spec: { nodeName: true, source: { persistentVolumeName: true, inlineVolumeSpec: {} } },
});
