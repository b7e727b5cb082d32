import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { Leftover } from '../src/decide/leftover.ts';
import type { Live, PodFacts, Snapshot, WorkloadFacts } from '../src/decide/snapshot.ts';

/** The annotations, written out: the tests say what the cluster sees, not what the code calls it. */
const deleteAfter = 'holdfast.dev/delete-after';
const deleteAfterUid = 'holdfast.dev/delete-after-uid';

export const noon = Date.parse('2026-01-01T12:00:00Z');

export function facts(more: Partial<WorkloadFacts> = {}): WorkloadFacts {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    name: 'web',
    uid: 'uid-of-web',
    createdAt: noon,
    deletion: 'none',
    whenDeleted: 'Retain',
    whenScaled: 'Retain',
    field: {
      whenDeleted: more.whenDeleted ?? 'Retain',
      whenScaled: more.whenScaled ?? 'Retain',
    },
    wanted: true,
    grace: undefined,
    deletionGrace: undefined,
    ...more,
  };
}

export const ownPod: PodFacts = { uid: 'uid-of-web-1', ofWorkload: true };

export function toSet(more: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    name: 'web',
    uid: 'uid-of-web',
    controller: true,
    blockOwnerDeletion: false,
    ...more,
  };
}

export function toPod(more: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    name: 'web-1',
    uid: 'uid-of-web-1',
    controller: true,
    blockOwnerDeletion: false,
    ...more,
  };
}

/** The claim's reference to itself, which keeps it until the reference beside it is confirmed. */
export const hold: OwnerReference = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  name: 'data-web-1',
  uid: 'uid-of-claim',
  controller: false,
  blockOwnerDeletion: false,
};

export function plain({ apiVersion, kind, name, uid }: OwnerReference): OwnerReference {
  return { apiVersion, kind, name, uid };
}

/** As the stock controller writes it. */
export function stock(reference: OwnerReference): OwnerReference {
  return { ...reference, blockOwnerDeletion: true };
}

export const foreignController: OwnerReference = {
  apiVersion: 'example.com/v1',
  kind: 'Database',
  name: 'web',
  uid: 'uid-of-database',
  controller: true,
};
export const foreignOwner: OwnerReference = plain({
  ...foreignController,
  kind: 'Backup',
  uid: 'uid-of-backup',
});

export function claim(
  owners: readonly OwnerReference[] = [],
  {
    mark,
    deleted = false,
    uid = 'uid-of-claim',
    markedUid = uid,
    markedBy = 'uid-of-web',
  }: { mark?: string; deleted?: boolean; uid?: string; markedUid?: string; markedBy?: string } = {},
): PersistentVolumeClaim {
  return {
    metadata: {
      name: 'data-web-1',
      namespace: 'ns',
      uid,
      resourceVersion: '7',
      ...(owners.length === 0 ? {} : { ownerReferences: owners }),
      ...(mark === undefined
        ? {}
        : {
            annotations: {
              [deleteAfter]: mark,
              [deleteAfterUid]: markedUid,
              [`${deleteAfter}-scale-down`]: `StatefulSet.apps/web/${markedBy}/${uid}`,
            },
          }),
      ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
  };
}

export function snapshot(more: Partial<Snapshot> = {}): Snapshot {
  return {
    claim: claim(),
    podName: 'web-1',
    workload: facts(),
    shared: false,
    pod: ownPod,
    lastPodUid: undefined,
    markWasStray: false,
    stock: 'absent',
    left: undefined,
    live: undefined,
    enabled: true,
    collectMissed: false,
    now: noon,
    serverNow: noon,
    noneOverBefore: undefined,
    ...more,
  };
}

/** What the API server says when nothing has changed since the cache. */
export function agreeing({ workload, pod }: Snapshot, more: Partial<Live> = {}): Live {
  return { workload, pod: pod ?? 'gone', inUse: false, rival: 'none', ...more };
}

/** A claim of no workload, of which nothing was asked yet. */
export function leftover(more: Partial<Leftover> = {}): Leftover {
  return {
    claim: claim(),
    withoutTemplate: [],
    isTiedInVain: false,
    isOfAnotherKind: false,
    livePod: undefined,
    markWasStray: false,
    ending: undefined,
    live: undefined,
    windows: true,
    now: noon,
    serverNow: noon,
    noneOverBefore: undefined,
    ...more,
  };
}
