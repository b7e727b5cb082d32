import type { ObjectMeta, PersistentVolumeClaim, Pod, Volume, VolumeAttachment } from '@holdfast/core';

/** The fields of a claim that its protection reads. */
export function slimClaim({ metadata, spec }: PersistentVolumeClaim): PersistentVolumeClaim {
  const { finalizers, ownerReferences } = metadata;
  return {
    metadata: {
      ...slimMetadata(metadata),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    ...(spec?.volumeName === undefined ? {} : { spec: { volumeName: spec.volumeName } }),
  };
}

/** The fields of a pod that tell whether it uses a claim; most pods of a cluster shrink to a few hundred bytes. */
export function slimPod({ metadata, spec, status }: Pod): Pod {
  const volumes = (spec?.volumes ?? []).flatMap(slimVolume);
  return {
    metadata: slimMetadata(metadata),
    spec: {
      containers: [],
      ...(spec?.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
    ...(status?.phase === undefined ? {} : { status: { phase: status.phase } }),
  };
}

/** The fields of an attachment that tell which volume is where. */
export function slimVolumeAttachment({ metadata, spec }: VolumeAttachment): VolumeAttachment {
  const { persistentVolumeName } = spec.source;
  return {
    metadata: slimMetadata(metadata),
    spec: {
      attacher: spec.attacher,
      nodeName: spec.nodeName,
      source: persistentVolumeName === undefined ? {} : { persistentVolumeName },
    },
  };
}

function slimVolume({ name, persistentVolumeClaim, ephemeral }: Volume): readonly Volume[] {
  if (persistentVolumeClaim !== undefined) {
    return [{ name, persistentVolumeClaim: { claimName: persistentVolumeClaim.claimName } }];
  }
  return ephemeral === undefined ? [] : [{ name, ephemeral: {} }];
}

function slimMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return {
    name,
    uid,
    resourceVersion,
    ...(namespace === undefined ? {} : { namespace }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
  };
}
