import { persistentVolumeClaims, pods } from '@holdfast/core';
import { createProjection, type Projection } from '@holdfast/runtime';
import {
  deleteAfterAnnotation,
  deleteAfterUidAnnotation,
  deleteAfterWorkloadAnnotation,
  deleteAfterScaleDownAnnotation,
} from './decide/mark.ts';
import { deletedWithAnnotation } from './decide/tie.ts';
import { workloadAnnotations, type Workload, type WorkloadResource } from './workload.ts';

const ownerReference = {
  apiVersion: true,
  kind: true,
  name: true,
  uid: true,
  controller: true,
  blockOwnerDeletion: true,
} as const;

/**
 * The fields of a claim that its retention reads. Of the annotations, only mark and tie, and whether there
 * are any.
 */
export const slimClaim = createProjection(persistentVolumeClaims, {
  metadata: {
    creationTimestamp: true,
    deletionTimestamp: true,
    annotations: {
      [deleteAfterAnnotation]: true,
      [deleteAfterUidAnnotation]: true,
      [deleteAfterWorkloadAnnotation]: true,
      [deleteAfterScaleDownAnnotation]: true,
      [deletedWithAnnotation]: true,
    },
    // Whole, since a patch tests them whole.
    ownerReferences: [ownerReference],
  },
});

/** The identity of a pod and its owners. */
export const slimPod = createProjection(pods, {
  metadata: { ownerReferences: [{ uid: true, name: true, controller: true }] },
});

/** The label that workloads give their pods. */
export const podNameLabel = 'statefulset.kubernetes.io/pod-name';

/** For a pod that is looked at live, also the claims that it uses, and whether a workload made it. */
export const usingPod = createProjection(pods, {
  metadata: {
    labels: { [podNameLabel]: true },
    ownerReferences: [{ uid: true, name: true, controller: true }],
  },
  spec: {
    volumes: [
      { name: true, persistentVolumeClaim: { claimName: true }, ephemeral: {} },
      { withAnyOf: ['persistentVolumeClaim', 'ephemeral'] },
    ],
  },
});

const { whenDeleted, whenScaled, grace, deletionGrace } = workloadAnnotations;

/** Returns the projection with the fields of a workload that determine what happens to its claims. */
export function slimWorkload(resource: WorkloadResource): Projection<Workload> {
  return createProjection(resource, {
    metadata: {
      creationTimestamp: true,
      deletionTimestamp: true,
      generation: true,
      finalizers: true,
      annotations: { [whenDeleted]: true, [whenScaled]: true, [grace]: true, [deletionGrace]: true },
    },
    spec: {
      replicas: true,
      ordinals: { start: true },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: true, whenScaled: true },
      volumeClaimTemplates: [{ metadata: { name: true } }],
      // A StatefulSet has no such field, and a field that is unknown in protobuf would make all of them be
      // read as JSON.
      ...(resource.group === 'apps' ? {} : { reserveOrdinals: true }),
    },
  });
}

/**
 * Returns whether two states of a workload say the same about its claims. For example, its status changes all
 * the time.
 */
export function saysTheSame(one: Workload, other: Workload): boolean {
  return saying(one) === saying(other);
}

function saying({ metadata, spec }: Workload): string {
  const { deletionTimestamp, finalizers, annotations } = metadata;
  return JSON.stringify([deletionTimestamp, finalizers, annotations, spec]);
}
