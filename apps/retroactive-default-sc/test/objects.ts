import type { PersistentVolumeClaim, StorageClass } from '@holdfast/core';

/** Written out: the tests state what is in the cluster, whatever the code calls it. */
export const isDefaultClass = 'storageclass.kubernetes.io/is-default-class';
export const isDefaultClassBeta = 'storageclass.beta.kubernetes.io/is-default-class';
export const betaClass = 'volume.beta.kubernetes.io/storage-class';
export const bindCompleted = 'pv.kubernetes.io/bind-completed';

export interface ClaimShape {
  readonly name?: string;
  readonly uid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly className?: string;
  readonly volumeName?: string;
  readonly deleted?: boolean;
}

export function claim({
  name = 'data',
  uid = `uid-of-${name}`,
  annotations,
  className,
  volumeName,
  deleted = false,
}: ClaimShape = {}): PersistentVolumeClaim {
  return {
    metadata: {
      name,
      namespace: 'ns',
      uid,
      resourceVersion: '7',
      ...(annotations === undefined ? {} : { annotations }),
      ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 } : {}),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(className === undefined ? {} : { storageClassName: className }),
      ...(volumeName === undefined ? {} : { volumeName }),
    },
  };
}

export interface ClassShape {
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly made?: string;
  readonly resourceVersion?: string;
  readonly deleted?: boolean;
}

/** The default class, unless the annotations say otherwise. */
export function storageClass({
  name = 'gold',
  annotations = { [isDefaultClass]: 'true' },
  made = '2026-01-01T00:00:00Z',
  resourceVersion = '3',
  deleted = false,
}: ClassShape = {}): StorageClass {
  return {
    metadata: {
      name,
      uid: `uid-of-${name}`,
      resourceVersion,
      creationTimestamp: made,
      annotations,
      ...(deleted ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    provisioner: 'example.com/disk',
  };
}
