export type {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
  VolumeAttachment,
} from '@holdfast/core';

/**
 * Names that the models and the world use. The models read the objects themselves: they share no code with
 * the apps.
 */
export const names = {
  namespace: 'shop',
  node: 'node-1',
  provisioner: 'kubernetes.io/host-path',
  pvcProtection: 'kubernetes.io/pvc-protection',
  pvController: 'kubernetes.io/pv-controller',
  undoFinalizer: 'holdfast.dev/undo-window',
  isDefaultClass: 'storageclass.kubernetes.io/is-default-class',
  betaClass: 'volume.beta.kubernetes.io/storage-class',
  whenDeleted: 'holdfast.dev/when-deleted',
  whenScaled: 'holdfast.dev/when-scaled',
  scaleDownGrace: 'holdfast.dev/scale-down-grace',
  setDeletionGrace: 'holdfast.dev/set-deletion-grace',
  deleteAfter: 'holdfast.dev/delete-after',
  reclaimPolicy: 'holdfast.dev/reclaim-policy',
  reclaimGrace: 'holdfast.dev/reclaim-grace',
} as const;

/** The length of undo windows, as annotations write it and in milliseconds. */
export const undoWindow = { text: '10m', milliseconds: 600_000 } as const;

interface Named {
  readonly metadata: {
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export function uidOf({ metadata }: Named): string {
  return metadata.uid ?? '';
}

export function isEnding({ metadata }: Named): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function has({ metadata }: Named, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

export function annotation({ metadata }: Named, name: string): string | undefined {
  return metadata.annotations?.[name];
}
