import type { ObjectMeta, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from '@holdfast/core';
import { keeperAnnotations } from './keeper.ts';
import { volumeSourceFields } from './volume-source.ts';

/** Labels and annotations of a volume by which its handle is found; see csi-migration.ts. */
const handleLabels = ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'];
const keptAnnotations = [...keeperAnnotations, 'kubernetes.io/azure-file-resource-group'];

/** The fields of a volume that say whose it is, what it is on the storage system, and how far its life has come. */
export function slimVolume({ metadata, spec, status }: PersistentVolume): PersistentVolume {
  const { finalizers } = metadata;
  const labels = pick(metadata.labels ?? {}, handleLabels);
  const annotations = pick(metadata.annotations ?? {}, keptAnnotations);
  const { persistentVolumeReclaimPolicy, claimRef, csi } = spec ?? {};
  return {
    metadata: {
      ...slimMetadata(metadata),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      ...pick(spec ?? {}, volumeSourceFields),
      ...(csi === undefined ? {} : { csi: { driver: csi.driver, volumeHandle: csi.volumeHandle } }),
      ...(persistentVolumeReclaimPolicy === undefined ? {} : { persistentVolumeReclaimPolicy }),
      ...(claimRef === undefined ? {} : { claimRef: pick(claimRef, ['namespace', 'name', 'uid']) }),
    },
    ...(status?.phase === undefined ? {} : { status: { phase: status.phase } }),
  };
}

/** Of a claim nothing is read but that it is there. */
export function slimClaim({ metadata }: PersistentVolumeClaim): PersistentVolumeClaim {
  return { metadata: slimMetadata(metadata) };
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

function slimMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  return {
    name,
    uid,
    resourceVersion,
    ...(namespace === undefined ? {} : { namespace }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
}

function pick<T extends object, Key extends keyof T>(object: T, keys: readonly Key[]): Pick<T, Key> {
  return Object.fromEntries(
    keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]),
  ) as Pick<T, Key>;
}
