import {
  controllerOf,
  type ObjectMeta,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import { deleteAfterAnnotation } from './decide.ts';
import { orphanFinalizer, workloadAnnotations, type Workload } from './workload.ts';

/** The fields of a claim that its retention reads; that it has annotations stays visible, which ones does not. */
export function slimClaim({ metadata }: PersistentVolumeClaim): PersistentVolumeClaim {
  const { annotations, ownerReferences } = metadata;
  const mark = annotations?.[deleteAfterAnnotation];
  return {
    metadata: {
      ...slimMetadata(metadata),
      ...(annotations === undefined
        ? {}
        : { annotations: mark === undefined ? foreignOnly : { [deleteAfterAnnotation]: mark } }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
  };
}

const foreignOnly = {};

/** Of a pod only who it is, and whose. */
export function slimPod(pod: Pod): Pod {
  const controller = controllerOf(pod);
  return {
    metadata: {
      ...slimMetadata(pod.metadata),
      ...(controller === undefined ? {} : { ownerReferences: [slimReference(controller)] }),
    },
  };
}

/** The fields of a workload that say what becomes of its claims. */
export function slimWorkload({ metadata, spec }: Workload): Workload {
  const { replicas, ordinals, reserveOrdinals, persistentVolumeClaimRetentionPolicy, volumeClaimTemplates } =
    spec ?? {};
  return {
    metadata: {
      ...slimMetadata(metadata),
      ...ownAnnotations(metadata),
      ...(metadata.finalizers?.includes(orphanFinalizer) === true ? { finalizers: [orphanFinalizer] } : {}),
    },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      ...(ordinals === undefined ? {} : { ordinals }),
      ...(reserveOrdinals === undefined ? {} : { reserveOrdinals }),
      ...(persistentVolumeClaimRetentionPolicy === undefined ? {} : { persistentVolumeClaimRetentionPolicy }),
      volumeClaimTemplates: (volumeClaimTemplates ?? []).map((template) => ({
        metadata: { name: template.metadata?.name ?? '' },
      })),
    },
  };
}

/** Whether two states of a workload say the same; its status, for one, changes all the time. */
export function saysTheSame(one: Workload, other: Workload): boolean {
  return saying(one) === saying(other);
}

function saying({ metadata, spec }: Workload): string {
  const { deletionTimestamp, finalizers, annotations } = metadata;
  return JSON.stringify([deletionTimestamp, finalizers, annotations, spec]);
}

function slimReference({ apiVersion, kind, name, uid }: OwnerReference): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true };
}

function ownAnnotations({ annotations }: ObjectMeta): Pick<ObjectMeta, 'annotations'> {
  const names: readonly string[] = Object.values(workloadAnnotations);
  const own = Object.entries(annotations ?? {}).filter(([name]) => names.includes(name));
  return own.length === 0 ? {} : { annotations: Object.fromEntries(own) };
}

function slimMetadata({ name, namespace, uid, resourceVersion, deletionTimestamp }: ObjectMeta): ObjectMeta {
  return {
    name,
    uid,
    resourceVersion,
    ...(namespace === undefined ? {} : { namespace }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
}
