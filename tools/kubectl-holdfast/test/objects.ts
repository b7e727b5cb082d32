import {
  parseFeatureGates,
  statefulSets,
  type OwnerReference,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from '@holdfast/core';
import { gates, type WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import type { HoldfastGates, World } from '../src/plan/world.ts';

/* Objects of one namespace, with the names that the tables of the tests use. */

export const namespace = 'shop';
/** Of the API server and of this machine. */
export const now = Date.parse('2026-03-01T12:00:00Z');

export function gatesWith(text = ''): HoldfastGates {
  return parseFeatureGates(gates, text);
}

export interface SetShape {
  readonly replicas?: number;
  readonly whenScaled?: 'Retain' | 'Delete';
  readonly whenDeleted?: 'Retain' | 'Delete';
  /** False: the API server drops the field. */
  readonly field?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletedAt?: string;
}

export function setOf({
  replicas = 2,
  whenScaled = 'Retain',
  whenDeleted = 'Retain',
  field = true,
  annotations = {},
  finalizers = [],
  deletedAt,
}: SetShape = {}): StatefulSet {
  return {
    metadata: {
      ...{ name: 'web', namespace, uid: 'uid-of-web', resourceVersion: '1', annotations },
      ...{ finalizers, creationTimestamp: '2026-02-01T12:00:00Z' },
      ...(deletedAt === undefined ? {} : { deletionTimestamp: deletedAt }),
    },
    spec: {
      replicas,
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: {},
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      ...(field ? { persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } } : {}),
    },
  };
}

export const bySet: OwnerReference = {
  ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'uid-of-web' },
  ...{ controller: true, blockOwnerDeletion: true },
};

export function byPod(ordinal: number, uid = `uid-of-web-${String(ordinal)}`): OwnerReference {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', name: `web-${String(ordinal)}`, uid },
    ...{ controller: true, blockOwnerDeletion: true },
  };
}

export function byConfigMap(controller: boolean): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: 'backup', uid: 'uid-of-backup', controller };
}

export interface ClaimShape {
  readonly owners?: readonly OwnerReference[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletedAt?: string;
  readonly volumeName?: string;
  readonly phase?: string;
  readonly className?: string;
}

export function claimOf(ordinal: number, shape: ClaimShape = {}): PersistentVolumeClaim {
  const name = `data-web-${String(ordinal)}`;
  const { owners = [], annotations = {}, finalizers = ['kubernetes.io/pvc-protection'] } = shape;
  return {
    metadata: {
      ...{ name, namespace, uid: `uid-of-${name}`, resourceVersion: '1', annotations, finalizers },
      ...{ ownerReferences: owners, creationTimestamp: '2026-02-01T12:00:01Z' },
      ...(shape.deletedAt === undefined ? {} : { deletionTimestamp: shape.deletedAt }),
    },
    spec: {
      ...(shape.volumeName === undefined ? {} : { volumeName: shape.volumeName }),
      ...(shape.className === undefined ? {} : { storageClassName: shape.className }),
    },
    status: { phase: shape.phase ?? 'Bound' },
  };
}

export interface PodShape {
  readonly node?: string;
  readonly phase?: string;
  readonly ofSet?: boolean;
  readonly deletedAt?: string;
  readonly name?: string;
}

/** The pod of an ordinal, which uses the claim of it. */
export function podOf(ordinal: number, shape: PodShape = {}): Pod {
  const { name = `web-${String(ordinal)}`, node = 'node-1', phase = 'Running', ofSet = true } = shape;
  return {
    metadata: {
      ...{ name, namespace, uid: `uid-of-${name}`, resourceVersion: '1' },
      ...(ofSet ? { ownerReferences: [bySet] } : {}),
      ...(shape.deletedAt === undefined ? {} : { deletionTimestamp: shape.deletedAt }),
    },
    spec: {
      containers: [],
      ...(node === '' ? {} : { nodeName: node }),
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-web-${String(ordinal)}` } }],
    },
    status: { phase, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

export function volumeOf(
  policy: 'Delete' | 'Retain' | 'Recycle',
  metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  } = {},
  more: { readonly phase?: string; readonly claim?: string | undefined; readonly deletedAt?: string } = {},
): PersistentVolume {
  const { phase = 'Bound', claim = 'data-web-0' } = more;
  return {
    metadata: {
      ...{ name: 'pv-1', uid: 'uid-of-pv-1', resourceVersion: '1', ...metadata },
      ...(more.deletedAt === undefined ? {} : { deletionTimestamp: more.deletedAt }),
    },
    spec: {
      persistentVolumeReclaimPolicy: policy,
      csi: { driver: 'disks.example.com', volumeHandle: 'disk-1' },
      claimRef: { namespace, name: claim, uid: `uid-of-${claim}` },
    },
    status: { phase },
  };
}

/** Advanced StatefulSets of Kruise. */
export const kruise: WorkloadResource = {
  ...{ group: 'apps.kruise.io', version: 'v1beta1', kind: 'StatefulSet', plural: 'statefulsets' },
  namespaced: true,
};

export function worldOf(
  set: StatefulSet,
  claims: readonly PersistentVolumeClaim[],
  pods: readonly Pod[],
  more: Partial<World> = {},
): World {
  return {
    resource: statefulSets,
    set,
    unread: [],
    claims: new Map(claims.map((claim) => [claim.metadata.name, claim])),
    pods,
    shared: new Set(),
    owners: new Map(),
    now,
    ...more,
  };
}
