import {
  apiVersionOf,
  claimUses,
  controllerOf,
  isTerminating,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from '@holdfast/core';
import {
  deletionWindowOf,
  isWanted,
  policyOf,
  type Ending,
} from '@holdfast/statefulset-pvc-retention/decide';
import { withOwners } from './apply.ts';
import { collect } from './garbage.ts';
import { settle, settleLeftover, type Settled } from './holdfast-retention.ts';
import { stockReferences } from './stock-retention.ts';
import { ordinalOf, ordinalOfPod } from './ordinals.ts';
import type { Action, HoldfastGates, PlayedOwnerState, World } from './world.ts';

/** The choices that determine the course to play, if more than one is possible. */
export interface Assumptions {
  readonly stockAtWork: boolean;
  /** The gates of statefulset-pvc-retention; undefined if it is not at work. */
  readonly holdfast: HoldfastGates | undefined;
  /**
   * The time before which statefulset-pvc-retention deletes nothing that waits for its time, in milliseconds since
   * 1970; undefined if there is none.
   */
  readonly noneOverBefore: number | undefined;
  /**
   * Whether the set is deleted only after its controllers have written everything that the policy requires,
   * or as it is at this moment.
   */
  readonly settledBefore: boolean;
  /** The state assumed for owners that could not be looked up, or that are being removed. */
  readonly unknownOwners: PlayedOwnerState;
}

/** How a claim that goes is removed. */
export type End =
  | { readonly by: 'garbageCollector'; readonly owners: readonly OwnerReference[] }
  | { readonly by: 'holdfast'; readonly reason: Settled['reason'] };

/** The state of a set's claims once all controllers have come to rest. */
export interface Rest {
  /** Undefined if the set is gone. */
  readonly set: StatefulSet | undefined;
  /** The remaining claims by name, with their owners and annotations. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  /** The removed claims by name. */
  readonly ended: ReadonlyMap<string, End>;
  readonly pods: readonly Pod[];
  /** Why statefulset-pvc-retention left each claim as it is, by the claim's name. */
  readonly reasons: ReadonlyMap<string, Settled['reason']>;
}

/**
 * Each round lets every controller act once; pods go in the first round. If more rounds were needed, the
 * controllers would be going in circles.
 */
const mostRounds = 12;

/**
 * Plays what follows an action, with the decisions of the controllers themselves: those of
 * kube-controller-manager by `stockReferences`, those of our controllers by their own code, and those of the
 * garbage collector by `collect`. All pods of wanted ordinals are created and become ready; condemned ones
 * end.
 */
export function play(world: World, action: Action, assumptions: Assumptions): Rest {
  const course = createCourse(world, assumptions);
  switch (action.kind) {
    case 'scale':
      course.scale(action.replicas);
      break;
    case 'delete':
      course.delete(action.cascade === 'orphan' ? 'orphan' : 'dependents');
      break;
  }
  return course.rest();
}

interface Course {
  scale(replicas: number): void;
  delete(how: 'orphan' | 'dependents'): void;
  rest(): Rest;
}

function createCourse(world: World, assumptions: Assumptions): Course {
  const { stockAtWork, holdfast: gates, noneOverBefore, settledBefore, unknownOwners } = assumptions;
  const claims = new Map(world.claims);
  const ended = new Map<string, End>();
  const reasons = new Map<string, Settled['reason']>();
  const lastPods = new Map<string, string>();
  // Pods of other owners that are ending are left out: they release what they use and own.
  let pods = indexed(world.pods.filter((pod) => !isTerminating(pod) || isOf(world.set, pod)));
  let set: StatefulSet | undefined = world.set;
  let ending: Ending | undefined;

  const podOf = (owner: StatefulSet, ordinal: number): Pod | undefined =>
    pods.byName.get(`${owner.metadata.name}-${String(ordinal)}`);
  const isInUse = (name: string): boolean => pods.used.has(name);

  /** The number of changes of claims and pods. A round without any is the last. */
  let changes = 0;
  const put = (claim: PersistentVolumeClaim): void => {
    if (claims.get(claim.metadata.name) !== claim) {
      claims.set(claim.metadata.name, claim);
      changes += 1;
    }
  };
  const end = (claim: PersistentVolumeClaim, how: End): void => {
    claims.delete(claim.metadata.name);
    ended.set(claim.metadata.name, how);
    changes += 1;
  };
  const setPods = (all: readonly Pod[]): void => {
    pods = indexed(all);
    changes += 1;
  };
  const alive = (): readonly PersistentVolumeClaim[] =>
    [...claims.values()].filter(({ metadata }) => metadata.deletionTimestamp === undefined);

  const claimNames = new Map([...world.claims.values()].map(({ metadata }) => [metadata.uid, metadata.name]));
  const stateOf = ({ uid }: OwnerReference): PlayedOwnerState => {
    const claim = claims.get(claimNames.get(uid) ?? '');
    if (uid === set?.metadata.uid || pods.byUid.has(uid)) {
      return 'lives';
    }
    if (claim !== undefined) {
      return isTerminating(claim) ? unknownOwners : 'lives';
    }
    const state = world.owners.get(uid) ?? 'gone';
    return state === 'unknown' || state === 'leaving' ? unknownOwners : state;
  };

  const letStockAct = (owner: StatefulSet): void => {
    if (isTerminating(owner)) {
      return;
    }
    for (const claim of alive()) {
      const ordinal = ordinalOf(claim);
      const pod = podOf(owner, ordinal);
      // While a wanted pod is ending, its end is awaited, and its claims are left as they are.
      const isLookedAt = pod !== undefined && !(isTerminating(pod) && isWanted(owner, ordinal));
      const references =
        isLookedAt && controllerOf(pod)?.uid === owner.metadata.uid
          ? stockReferences(claim, owner, pod, ordinal)
          : undefined;
      if (references !== undefined) {
        put(withOwners(claim, references));
      }
    }
  };

  const accept = (claim: PersistentVolumeClaim, settled: Settled): void => {
    if (settled.claim === undefined) {
      end(claim, { by: 'holdfast', reason: settled.reason });
    } else {
      put(settled.claim);
      reasons.set(claim.metadata.name, settled.reason);
    }
  };

  const letHoldfastAct = (owner: StatefulSet, waited: boolean): void => {
    if (gates === undefined) {
      return;
    }
    for (const claim of alive()) {
      const { name } = claim.metadata;
      const ordinal = ordinalOf(claim);
      const of = {
        resource: world.resource,
        set: owner,
        ordinal,
        shared: world.shared.has(name),
        pod: podOf(owner, ordinal),
        lastPodUid: lastPods.get(name),
        inUse: isInUse(name),
      };
      accept(claim, settle(claim, of, { gates, now: world.now, noneOverBefore, stockAtWork, waited }));
    }
  };

  const letHoldfastActOnLeftovers = (): void => {
    if (gates === undefined) {
      return;
    }
    for (const claim of alive()) {
      const { name } = claim.metadata;
      const livePod = pods.byUid.get(controllerOf(claim)?.uid ?? '');
      const left = {
        ending,
        livePod,
        namesClaim: livePod !== undefined && names(livePod, name),
        shared: world.shared.has(name),
        inUse: isInUse(name),
      };
      const around = { gates, now: world.now, noneOverBefore, stockAtWork, waited: true };
      accept(claim, settleLeftover(claim, left, around));
    }
  };

  const collectGarbage = (): void => {
    for (const claim of alive()) {
      const collection = collect(claim, stateOf);
      switch (collection.kind) {
        case 'delete':
          end(claim, { by: 'garbageCollector', owners: collection.gone });
          break;
        case 'keep':
          put(withOwners(claim, collection.references));
          break;
        case 'none':
          break;
      }
    }
  };

  /**
   * The set's controller deletes the pods of condemned ordinals and creates those of wanted ones; pods that
   * are ending end.
   */
  const letPodsComeAndGo = (owner: StatefulSet): void => {
    const gone = pods.all.filter((pod) => {
      const ordinal = ordinalOfPod(owner, pod);
      return ordinal !== undefined && isOf(owner, pod) && (!isWanted(owner, ordinal) || isTerminating(pod));
    });
    const uids = new Map(gone.map((pod) => [ordinalOfPod(owner, pod), pod.metadata.uid]));
    for (const claim of gates?.enabled('StatefulSetAutoDeletePVC') === true && scalesDown(owner)
      ? alive()
      : []) {
      const uid = uids.get(ordinalOf(claim));
      if (uid !== undefined) {
        lastPods.set(claim.metadata.name, uid);
      }
    }
    const made: Pod[] = [];
    for (const [ordinal, own] of Map.groupBy(claims.values(), ordinalOf)) {
      if (!isWanted(owner, ordinal) || podOf(owner, ordinal) !== undefined) {
        continue;
      }
      const podName = `${owner.metadata.name}-${String(ordinal)}`;
      // PodClaimIsStale in stateful_pod_control.go: the claim of an earlier pod must be gone first.
      const isBlocked = own.some(
        (claim) =>
          claim.metadata.deletionTimestamp !== undefined ||
          (stockAtWork && scalesDown(owner) && refersToPod(claim, podName)),
      );
      if (!isBlocked) {
        made.push(newPod({ set: owner, resource: world.resource }, podName, own));
      }
    }
    if (gone.length > 0 || made.length > 0) {
      const left = new Set(pods.all);
      gone.forEach((pod) => left.delete(pod));
      setPods([...left, ...made]);
    }
  };

  const comeToRest = (owner: StatefulSet, comeAndGo: boolean): void => {
    for (let round = 0; round < mostRounds; round += 1) {
      const before = changes;
      if (stockAtWork) {
        letStockAct(owner);
      }
      // Holdfast waits before it does what it leaves to the stock controller; by then condemned pods have gone.
      letHoldfastAct(owner, round > 0 || !comeAndGo);
      if (comeAndGo) {
        letPodsComeAndGo(owner);
      }
      collectGarbage();
      if (round > 0 && changes === before) {
        return;
      }
    }
  };

  const letLeftoversRest = (): void => {
    for (let round = 0; round < mostRounds; round += 1) {
      const before = changes;
      collectGarbage();
      letHoldfastActOnLeftovers();
      if (changes === before) {
        return;
      }
    }
  };

  return {
    scale: (replicas) => {
      set = { ...world.set, spec: { ...spec(world.set), replicas } };
      comeToRest(set, true);
    },
    delete: (how) => {
      const owner = world.set;
      if (settledBefore) {
        comeToRest(owner, false);
      }
      if (how === 'orphan') {
        const orphaned = deletedNow(owner, 'orphan', world.now);
        letHoldfastAct(orphaned, true);
        for (const claim of alive()) {
          put(withoutOwner(claim, owner));
        }
        const staying = pods.all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        setPods(staying.map((pod) => withoutOwner(pod, owner)));
        ending = { kind: 'orphaned' };
      } else {
        const window = gates && deletionWindowOf(owner, gates);
        // If another finalizer delays the set's deletion, the set could be orphaned unnoticed, so nothing is
        // marked then.
        ending =
          window === undefined || (owner.metadata.finalizers ?? []).some((each) => each !== foreground)
            ? undefined
            : { kind: 'withDependents', window };
        setPods(pods.all.filter((pod) => !isOf(owner, pod)));
      }
      set = undefined;
      letLeftoversRest();
    },
    rest: () => ({ set, claims, ended, pods: pods.all, reasons }),
  };
}

const foreground = 'foregroundDeletion';

interface Pods {
  readonly all: readonly Pod[];
  readonly byName: ReadonlyMap<string, Pod>;
  readonly byUid: ReadonlyMap<string, Pod>;
  /** The names of the claims that these pods name. */
  readonly used: ReadonlySet<string>;
}

function indexed(all: readonly Pod[]): Pods {
  return {
    all,
    byName: new Map(all.map((pod) => [pod.metadata.name, pod])),
    byUid: new Map(all.map((pod) => [pod.metadata.uid, pod])),
    used: new Set(all.flatMap((pod) => claimUses(pod).map(({ claimName }) => claimName))),
  };
}

function isOf({ metadata }: StatefulSet, pod: Pod): boolean {
  return controllerOf(pod)?.uid === metadata.uid;
}

function scalesDown(set: StatefulSet): boolean {
  return policyOf(set).whenScaled === 'Delete';
}

function names(pod: Pod, claimName: string): boolean {
  return claimUses(pod).some((use) => use.claimName === claimName);
}

function refersToPod({ metadata }: PersistentVolumeClaim, podName: string): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, name }) => kind === 'Pod' && name === podName);
}

/** Stored objects have a spec. */
function spec(set: StatefulSet): NonNullable<StatefulSet['spec']> {
  if (set.spec === undefined) {
    throw new Error(`StatefulSet ${set.metadata.name} has no spec`);
  }
  return set.spec;
}

function newPod(
  { set: owner, resource }: Pick<World, 'set' | 'resource'>,
  name: string,
  claims: readonly PersistentVolumeClaim[],
): Pod {
  const { namespace = '', name: setName, uid } = owner.metadata;
  return {
    metadata: {
      name,
      namespace,
      // No real pod has this UID.
      uid: `to be made: ${name}`,
      resourceVersion: '',
      ownerReferences: [
        { apiVersion: apiVersionOf(resource), kind: resource.kind, name: setName, uid, controller: true },
      ],
    },
    spec: {
      containers: [],
      volumes: claims.map(({ metadata }) => ({
        name: metadata.name,
        persistentVolumeClaim: { claimName: metadata.name },
      })),
    },
  };
}

function withoutOwner<T extends PersistentVolumeClaim | Pod>(object: T, { metadata }: StatefulSet): T {
  const { ownerReferences = [] } = object.metadata;
  const kept = ownerReferences.filter(({ uid }) => uid !== metadata.uid);
  return kept.length === ownerReferences.length
    ? object
    : { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}

function deletedNow(set: StatefulSet, finalizer: string, now: number): StatefulSet {
  const { finalizers = [] } = set.metadata;
  return {
    ...set,
    metadata: {
      ...set.metadata,
      deletionTimestamp: new Date(now).toISOString(),
      finalizers: [...finalizers, finalizer],
    },
  };
}
