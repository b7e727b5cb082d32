import type { OwnerReference, PersistentVolumeClaim, Pod, Volume } from '@holdfast/core';

/** The finalizer, written out: the tests state what is in the cluster, whatever the code calls it. */
export const protection = 'kubernetes.io/pvc-protection';

export interface ClaimShape {
  readonly name?: string;
  readonly uid?: string;
  readonly namespace?: string;
  readonly finalizers?: readonly string[];
  readonly deleted?: boolean;
  readonly controlledBy?: Pod;
  readonly ownedBy?: Pod;
  /** The volume it is bound to. */
  readonly volume?: string;
}

export function claim({
  name = 'data',
  uid = `uid-of-${name}`,
  namespace = 'ns',
  finalizers,
  deleted = false,
  controlledBy,
  ownedBy,
  volume,
}: ClaimShape = {}): PersistentVolumeClaim {
  const owners = [
    ...(controlledBy === undefined ? [] : [reference(controlledBy, true)]),
    ...(ownedBy === undefined ? [] : [reference(ownedBy, false)]),
  ];
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: '7',
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 } : {}),
      ...(owners.length === 0 ? {} : { ownerReferences: owners }),
    },
    ...(volume === undefined ? {} : { spec: { volumeName: volume } }),
  };
}

function reference(pod: Pod, controller: boolean): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid, controller };
}

export interface PodShape {
  readonly name?: string;
  readonly uid?: string;
  readonly namespace?: string;
  readonly node?: string;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly volumes?: readonly Volume[];
  /** Grace period of its deletion, seconds. */
  readonly deletedWithGrace?: number;
}

export function pod({
  name = 'web',
  uid = `uid-of-${name}`,
  namespace = 'ns',
  node,
  phase = 'Running',
  volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
  deletedWithGrace,
}: PodShape = {}): Pod {
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: '9',
      ...(deletedWithGrace === undefined
        ? {}
        : { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: deletedWithGrace }),
    },
    spec: { containers: [], volumes, ...(node === undefined ? {} : { nodeName: node }) },
    status: { phase },
  };
}
