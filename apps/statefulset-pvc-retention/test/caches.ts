import {
  objectKey,
  parseFeatureGates,
  statefulSets,
  type ApiResource,
  type KubernetesObject,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import type { IndexedStore } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { parseClaimName } from '../src/claim-name.ts';
import { controllingPod } from '../src/decide/references.ts';
import { createEndings } from '../src/endings.ts';
import { gates } from '../src/gates.ts';
import { createLastPods } from '../src/last-pods.ts';
import type { StockWatch } from '../src/stock-watch.ts';
import { createStrayMarks } from '../src/stray-marks.ts';
import { changeableUids, createView, namedOnKeys, podKeyOf } from '../src/view.ts';
import { stemsOf, type Workload } from '../src/workload.ts';
import { noon } from './snapshots.ts';

/** A kind whose templates can change, unlike those of a StatefulSet. */
export const otherSets: ApiResource<Workload> = {
  group: 'apps.kruise.io',
  version: 'v1beta1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};

/** The keys of `ns/web` of either kind, and that of claim `ns/data-web-1`. */
export const keyOfSet = 'statefulsets.apps ns/web';
export const keyOfOtherSet = 'statefulsets.apps.kruise.io ns/web';
export const keyOfClaim = 'persistentvolumeclaims ns/data-web-1';

/** A set `ns/web` with one template, `data`, and two replicas: ordinal 1 is wanted. */
export function set(
  spec: Workload['spec'] = {},
  { uid = 'uid-of-web', ...metadata }: Partial<Workload['metadata']> = {},
): Workload {
  return {
    metadata: { name: 'web', namespace: 'ns', uid, resourceVersion: '1', ...metadata },
    spec: { replicas: 2, volumeClaimTemplates: [{ metadata: { name: 'data' } }], ...spec },
  };
}

/** Deletes claims with the set, or on scale-down. */
export const policy = (whenDeleted: 'Retain' | 'Delete', whenScaled: 'Retain' | 'Delete') => ({
  persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
});

/** Pod `ns/web-1`. */
export function pod(
  ownerReferences: readonly OwnerReference[] = [],
  metadata: Partial<Pod['metadata']> = {},
): Pod {
  return {
    metadata: {
      name: 'web-1',
      namespace: 'ns',
      uid: 'uid-of-web-1',
      resourceVersion: '1',
      ownerReferences,
      ...metadata,
    },
  };
}

export interface Cached {
  readonly sets?: readonly Workload[];
  /** Of {@link otherSets}. */
  readonly others?: readonly Workload[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly pods?: readonly Pod[];
  /** Default: as they are by default. */
  readonly featureGates?: string;
}

/** What the controller has in its caches, indexed as it has them. */
export function caches({
  sets = [],
  others = [],
  claims: ofClaims = [],
  pods = [],
  featureGates = '',
}: Cached) {
  const kinds = [statefulSets, otherSets];
  const claims = store(ofClaims, {
    stem: (claim) => parseClaimName(claim)?.stem ?? [],
    pod: (claim) => {
      const owner = controllingPod(claim);
      return owner === undefined ? [] : podKeyOf(claim, owner);
    },
    changeable: (claim) => changeableUids(claim, kinds),
    namedOn: namedOnKeys,
  });
  const lastPods = createLastPods();
  const strayMarks = createStrayMarks();
  const stock: StockWatch = {
    known: 'absent',
    isSuspected: false,
    leftOf: () => undefined,
    sawItAtWork: () => undefined,
    sawItLeaveUndone: () => undefined,
    leave: () => undefined,
    forget: () => undefined,
  };
  const view = createView({
    claims,
    pods: store(pods, {}),
    workloads: [
      { resource: statefulSets, store: store(sets, { stem: stemsOf }) },
      { resource: otherSets, store: store(others, { stem: stemsOf }) },
    ],
    lastPods,
    strayMarks,
    stock,
    endings: createEndings(createFakeClock()),
    gates: parseFeatureGates(gates, featureGates),
    now: () => new Date(noon),
    serverTime: () => new Date(noon),
    tenure: { nothingDueBefore: () => undefined },
  });
  return { claims, lastPods, strayMarks, view };
}

function store<T extends KubernetesObject, Index extends string>(
  objects: readonly T[],
  indexes: Readonly<Record<Index, (object: T) => string | readonly string[]>>,
): IndexedStore<T, Index> {
  return {
    size: objects.length,
    values: () => objects.values(),
    get: (key) => objects.find((each) => objectKey(each) === key),
    byIndex: (index, value) => objects.filter((each) => [indexes[index](each)].flat().includes(value)),
  };
}
