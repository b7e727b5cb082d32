import {
  apiVersionOf,
  controllerOf,
  keyOf,
  objectKey,
  type FeatureGates,
  type KubernetesObject,
  type ObjectRef,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import type { IndexedStore, Store, Tenure } from '@holdfast/runtime';
import { parseClaimName } from './claim-name.ts';
import { namesAnotherKind, workloadsNamedOn, type Leftover } from './decide/leftover.ts';
import { controllingPod, isOfKind, isOfOurForm, referencesOf } from './decide/references.ts';
import type { PodFacts, Snapshot } from './decide/snapshot.ts';
import { isOfTiedKind, tieOf, type TiedTo } from './decide/tie.ts';
import type { Endings } from './endings.ts';
import type { GateName } from './gates.ts';
import type { LastPods } from './last-pods.ts';
import type { StockWatch } from './stock-watch.ts';
import type { StrayMarks } from './stray-marks.ts';
import {
  canChangeTemplates,
  factsOf,
  isWanted,
  stemsOf,
  type Workload,
  type WorkloadResource,
} from './workload.ts';

/** A workload with its kind. */
export interface KindedWorkload {
  readonly resource: WorkloadResource;
  readonly workload: Workload;
}

/** What the caches hold, in the form that decisions and wakes need. */
export interface View {
  workload(resource: WorkloadResource, key: string): KindedWorkload | undefined;
  /** Returns whether there is a workload of this kind and name in the claim's namespace, whatever its UID. */
  isCached(workload: TiedTo, claim: PersistentVolumeClaim): boolean;
  /** Returns the workloads whose templates make claims of this name. */
  workloadsOf(claim: PersistentVolumeClaim): readonly KindedWorkload[];
  /**
   * Returns the claims that a workload controls through a reference of this program, or that are tied to it,
   * if its templates can change.
   */
  controlledBy(workload: Workload): readonly PersistentVolumeClaim[];
  /**
   * Returns whether such a workload, or one whose pod controls the claim through such a reference, no longer
   * has a template for it.
   */
  lacksTemplate(claim: PersistentVolumeClaim): boolean;
  /** Returns the workload that controls the pod, by UID. */
  workloadOfPod(pod: Pod): KindedWorkload | undefined;
  /** Returns the workloads that could have made the pod judging by its name, whatever controls it. */
  workloadsNamedBy(pod: Pod): readonly KindedWorkload[];
  /** Returns the claims whose mark or tie names a workload of this one's name. */
  namedOn(workload: Workload): readonly PersistentVolumeClaim[];
  /** Returns all claims that are named after the workload, whatever their ordinals. */
  claimsOf(workload: Workload): readonly PersistentVolumeClaim[];
  /** Returns the claims of the ordinal in the pod's name. */
  claimsOfPod(workload: Workload, pod: Pod): readonly PersistentVolumeClaim[];
  /** Returns whether the ordinal of a claim that is named after the workload should have a pod. */
  isWanted(workload: Workload, claim: PersistentVolumeClaim): boolean;
  snapshot(owner: KindedWorkload, claim: PersistentVolumeClaim): Snapshot;
  /** Returns the facts about a claim that is named after no workload, before anything is asked. */
  leftover(claim: PersistentVolumeClaim): Leftover;
}

export interface ViewOptions {
  readonly claims: IndexedStore<PersistentVolumeClaim, 'stem' | 'changeable' | 'namedOn'>;
  readonly pods: Pick<Store<Pod>, 'get'>;
  readonly workloads: readonly {
    readonly resource: WorkloadResource;
    readonly store: IndexedStore<Workload, 'stem'>;
  }[];
  readonly lastPods: LastPods;
  readonly strayMarks: Pick<StrayMarks, 'has'>;
  readonly stock: StockWatch;
  readonly endings: Endings;
  readonly gates: FeatureGates<GateName>;
  /** The wall clock. */
  readonly now: () => Date;
  /** The API server's time; undefined if it is not known. */
  readonly serverTime: () => Date | undefined;
  readonly tenure: Pick<Tenure, 'nothingDueBefore'>;
}

export function createView({
  claims,
  pods,
  workloads,
  lastPods,
  strayMarks,
  stock,
  endings,
  gates,
  now,
  serverTime,
  tenure,
}: ViewOptions): View {
  const enabled = gates.enabled('StatefulSetAutoDeletePVC');
  const collectMissed = gates.enabled('CollectMissedScaleDown');

  const workloadsOf: View['workloadsOf'] = (claim) => {
    const stem = parseClaimName(claim)?.stem;
    return stem === undefined
      ? []
      : workloads.flatMap(({ resource, store }) =>
          store.byIndex('stem', stem).map((workload) => ({ resource, workload })),
        );
  };

  const isWithoutTemplate = (claim: PersistentVolumeClaim, workload: Workload): boolean =>
    !stemsOf(workload).includes(parseClaimName(claim)?.stem ?? '');

  const workloadOfPod: View['workloadOfPod'] = (pod) => {
    const controller = controllerOf(pod);
    if (controller === undefined) {
      return undefined;
    }
    for (const { resource, store } of workloads) {
      const workload = store.get(keyOf(inNamespaceOf(pod, controller.name)));
      if (workload?.metadata.uid === controller.uid) {
        return { resource, workload };
      }
    }
    return undefined;
  };

  /** Returns the reference of this program to a pod whose workload no longer has a template for the claim. */
  const podWithoutTemplate = (claim: PersistentVolumeClaim): readonly OwnerReference[] => {
    const reference = controllingPod(claim);
    const pod = reference?.blockOwnerDeletion === false ? pods.get(podKeyOf(claim, reference)) : undefined;
    const owner = pod && pod.metadata.uid === reference?.uid ? workloadOfPod(pod) : undefined;
    return reference !== undefined &&
      owner !== undefined &&
      canChangeTemplates(owner.resource) &&
      isWithoutTemplate(claim, owner.workload)
      ? [reference]
      : [];
  };

  const withoutTemplate = (claim: PersistentVolumeClaim): readonly OwnerReference[] => [
    ...workloads.flatMap(({ resource, store }) =>
      changeableOwners(claim, [resource]).filter(({ name, uid }) => {
        const workload = store.get(keyOf(inNamespaceOf(claim, name)));
        return workload?.metadata.uid === uid && isWithoutTemplate(claim, workload);
      }),
    ),
    ...podWithoutTemplate(claim),
  ];

  const isTiedInVain = (claim: PersistentVolumeClaim): boolean => {
    const tie = tieOf(claim);
    return (
      typeof tie === 'object' &&
      workloads.some(({ resource, store }) => {
        const workload = store.get(keyOf(inNamespaceOf(claim, tie.name)));
        return (
          canChangeTemplates(resource) &&
          isOfTiedKind(tie, resource) &&
          workload?.metadata.uid === tie.uid &&
          isWithoutTemplate(claim, workload)
        );
      })
    );
  };

  const lacksTemplate: View['lacksTemplate'] = (claim) =>
    withoutTemplate(claim).length > 0 || isTiedInVain(claim);

  const isCached: View['isCached'] = (tie, claim) =>
    workloads.some(
      ({ resource, store }) =>
        isOfTiedKind(tie, resource) && store.get(keyOf(inNamespaceOf(claim, tie.name))) !== undefined,
    );

  const endingOf = (claim: PersistentVolumeClaim, workload: TiedTo): Leftover['ending'] =>
    isCached(workload, claim)
      ? { kind: 'madeAgain' }
      : endings.of({ ...inNamespaceOf(claim, workload.name), uid: workload.uid });

  const claimsOf: View['claimsOf'] = (workload) =>
    stemsOf(workload).flatMap((stem) => claims.byIndex('stem', stem));

  const podOf = (workload: Workload, ordinal: number): Pod | undefined =>
    pods.get(keyOf(inNamespaceOf(workload, podNameOf(workload, ordinal))));

  return {
    workloadsOf,
    controlledBy: ({ metadata }) => claims.byIndex('changeable', metadata.uid),
    lacksTemplate,
    workload: (resource, key) => {
      const workload = workloads.find((each) => each.resource === resource)?.store.get(key);
      return workload === undefined ? undefined : { resource, workload };
    },
    isCached,
    workloadOfPod,
    workloadsNamedBy: (pod) => {
      const head = /^(.+)-\d+$/.exec(pod.metadata.name)?.[1];
      return head === undefined
        ? []
        : workloads.flatMap(({ resource, store }) => {
            const workload = store.get(keyOf(inNamespaceOf(pod, head)));
            return workload === undefined ? [] : [{ resource, workload }];
          });
    },
    namedOn: (workload) => claims.byIndex('namedOn', objectKey(workload)),
    claimsOf,
    isWanted: (workload, claim) => isWanted(workload, parseClaimName(claim)?.ordinal ?? 0),
    claimsOfPod: (workload, pod) => {
      const prefix = `${workload.metadata.name}-`;
      return !pod.metadata.name.startsWith(prefix)
        ? []
        : stemsOf(workload).flatMap(
            (stem) => claims.get(`${stem}-${pod.metadata.name.slice(prefix.length)}`) ?? [],
          );
    },
    snapshot: ({ resource, workload }, claim) => {
      const ordinal = parseClaimName(claim)?.ordinal ?? 0;
      const pod = podFacts(podOf(workload, ordinal), workload.metadata.uid);
      return {
        claim,
        podName: podNameOf(workload, ordinal),
        workload: factsOf(workload, resource, ordinal, gates),
        shared: workloadsOf(claim).length > 1,
        pod: pod && { ...pod, isInDoubt: lastPods.isInDoubt(claim) },
        lastPodUid: lastPods.of(claim),
        markWasStray: strayMarks.has(claim),
        stock: stock.known,
        left: stock.leftOf(claim),
        live: undefined,
        enabled,
        collectMissed,
        now: now().getTime(),
        serverNow: serverTime()?.getTime(),
        noneOverBefore: tenure.nothingDueBefore(),
      };
    },
    leftover: (claim) => {
      const [workload] = workloadsNamedOn(claim);
      return {
        claim,
        isOfAnotherKind: namesAnotherKind(
          claim,
          workloads.map(({ resource }) => resource),
        ),
        withoutTemplate: withoutTemplate(claim),
        isTiedInVain: isTiedInVain(claim),
        livePod: undefined,
        markWasStray: strayMarks.has(claim),
        ending: workload && endingOf(claim, workload),
        live: undefined,
        windows: enabled && gates.enabled('DeletionGracePeriod'),
        now: now().getTime(),
        serverNow: serverTime()?.getTime(),
        noneOverBefore: tenure.nothingDueBefore(),
      };
    },
  };
}

/** Returns the claim's references of this program to workloads whose templates can change. */
function changeableOwners(
  claim: PersistentVolumeClaim,
  resources: readonly WorkloadResource[],
): readonly OwnerReference[] {
  return referencesOf(claim).filter(
    (reference) =>
      isOfOurForm(claim, reference) &&
      resources.some(
        (resource) =>
          canChangeTemplates(resource) &&
          isOfKind(reference, { apiVersion: apiVersionOf(resource), kind: resource.kind }),
      ),
  );
}

function podNameOf({ metadata }: Workload, ordinal: number): string {
  return `${metadata.name}-${String(ordinal)}`;
}

/** Returns the UIDs of these, and of the workload that the claim is tied to, if its templates can change. */
export function changeableUids(
  claim: PersistentVolumeClaim,
  resources: readonly WorkloadResource[],
): readonly string[] {
  const tie = tieOf(claim);
  const isTied =
    typeof tie === 'object' &&
    resources.some((resource) => canChangeTemplates(resource) && isOfTiedKind(tie, resource));
  return [...changeableOwners(claim, resources).map(({ uid }) => uid), ...(isTied ? [tie.uid] : [])];
}

/** Returns the keys of the workloads that the claim's mark and tie name, for the index. */
export function namedOnKeys(claim: PersistentVolumeClaim): readonly string[] {
  return workloadsNamedOn(claim).map(({ name }) => keyOf(inNamespaceOf(claim, name)));
}

/** Returns the key of the pod that controls a claim, for the index. */
export function podKeyOf(claim: PersistentVolumeClaim, { name }: OwnerReference): string {
  return keyOf(inNamespaceOf(claim, name));
}

export function podFacts(pod: Pod, workloadUid: string): PodFacts;
export function podFacts(pod: Pod | undefined, workloadUid: string): PodFacts | undefined;
export function podFacts(pod: Pod | undefined, workloadUid: string): PodFacts | undefined {
  return pod === undefined
    ? undefined
    : { uid: pod.metadata.uid, ofWorkload: controllerOf(pod)?.uid === workloadUid };
}

/** Returns the reference to another object in an object's namespace. */
export function inNamespaceOf({ metadata: { namespace } }: KubernetesObject, name: string): ObjectRef {
  return namespace === undefined ? { name } : { namespace, name };
}
