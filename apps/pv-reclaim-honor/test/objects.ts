import type { JsonPatch, KubernetesObject, PersistentVolume, PersistentVolumeClaim } from '@holdfast/core';
import type { FileCalls } from '../src/in-tree/file-calls.ts';
import type { StepwiseDeletionOptions } from '../src/storage-deletion.ts';

/** The finalizers, written out: the tests say what the cluster sees, not what the code calls it. */
export const csiFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';
export const inTreeFinalizer = 'kubernetes.io/pv-controller';
/** Of hostPath volumes that kube-controller-manager lets go of before their folder is deleted. */
export const hostPathFinalizer = 'holdfast.dev/host-path';
/** Names the finalizer that this app has put on the volume. */
export const heldByAnnotation = 'holdfast.dev/held-by';
export const pvProtection = 'kubernetes.io/pv-protection';

type Spec = NonNullable<PersistentVolume['spec']>;

export interface VolumeShape {
  readonly name?: string;
  readonly uid?: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deleted?: boolean;
  /** `null`: none. Default: Delete. */
  readonly policy?: string | null;
  /** UID of the claim; `null`: the reference has none; default: no reference. */
  readonly claimUid?: string | null;
  /** `null`: none. Default: Bound. */
  readonly phase?: string | null;
  /** Default: CSI, driver `csi.example.com`. */
  readonly source?: Partial<Spec>;
}

/** The object with the list of finalizers that the patch writes, as the API server answers. */
export function withFinalizersOf<T extends KubernetesObject>(object: T, patch: JsonPatch): T {
  const written = patch.find(({ op, path }) => op !== 'test' && path === '/metadata/finalizers');
  return written === undefined || written.op === 'remove'
    ? object
    : { ...object, metadata: { ...object.metadata, finalizers: written.value as readonly string[] } };
}

export function volume({
  name = 'pv',
  uid = `uid-of-${name}`,
  finalizers,
  annotations,
  labels,
  deleted = false,
  policy = 'Delete',
  claimUid,
  phase = 'Bound',
  source = { csi: { driver: 'csi.example.com', volumeHandle: 'handle' } },
}: VolumeShape = {}): PersistentVolume {
  return {
    metadata: {
      name,
      uid,
      resourceVersion: '7',
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(labels === undefined ? {} : { labels }),
      ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      ...source,
      ...(policy === null ? {} : { persistentVolumeReclaimPolicy: policy }),
      ...(claimUid === undefined
        ? {}
        : {
            claimRef: { namespace: 'ns', name: 'data', ...(claimUid === null ? {} : { uid: claimUid }) },
          }),
    },
    status: phase === null ? {} : { phase },
  };
}

/** Options of a deletion that nothing stands in the way of. */
export const atWill: StepwiseDeletionOptions = {
  announce: () => Promise.resolve(),
  beforeDeletion: () => undefined,
  beforeStep: () => undefined,
  signal: new AbortController().signal,
};

/** What the plugin for hostPath sees of other volumes, where there are none. */
export const noOthers = {
  folders: () => Promise.resolve([]),
  lookAtNeeds: () => () => Promise.resolve(true),
  needsStorageInCache: () => true,
};

/** What observers see of undo windows, where no volume has one. */
export const noUndoWindows = {
  cached: () => undefined,
  openLook: () => ({ facts: () => Promise.resolve(undefined), confirmed: () => Promise.resolve(undefined) }),
};

/** The claim that {@link volume} names, as one that is bound to the volume of that name. */
export function boundClaim(uid: string, volumeName: string): PersistentVolumeClaim {
  return {
    metadata: {
      ...{ namespace: 'ns', name: 'data', uid, resourceVersion: '5' },
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
    },
    spec: { volumeName },
  };
}

/** The cache, where it has no claims. */
export const noClaims = { byIndex: () => [] };

/** Calls into file systems all of which are answered. */
export const answeredCalls: FileCalls = {
  make: (_path, row) => row({ answered: () => undefined, signal: new AbortController().signal }),
};
