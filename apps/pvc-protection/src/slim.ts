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

/** The field that is read of the response to a patch; the watch brings the new state of the claim. */
export const patchedClaim = createProjection(persistentVolumeClaims, { metadata: { finalizers: true } });

/** Shows whether a container runs. */
const containers = [{ state: { running: {} } }, { withAnyOf: ['state'] }] as const;

/**
 * The fields of a pod that show whether it uses a claim; most pods of a cluster shrink to a few hundred
 * bytes.
 */
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

/** The fields of an attachment that show which volume is attached to which node. */
export const slimVolumeAttachment = createProjection(volumeAttachments, {
  spec: { nodeName: true, source: { persistentVolumeName: true, inlineVolumeSpec: {} } },
});
