import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import { decide } from '../src/decide/decide.ts';
import type { Decision, OwnersDecision } from '../src/decide/decision.ts';
import { decideAgain } from '../src/decide/look-back.ts';
import type { Live, PodFacts, Snapshot, StockController, WorkloadFacts } from '../src/decide/snapshot.ts';
import type { Cascade, Policy } from './stage.ts';
import { foreignController, foreignOwner, noon, plain, toPod, toSet } from './snapshots.ts';

/*
 * A cluster with one name for a set and three ordinals, small enough for thousands of runs: API server, StatefulSet
 * controller, garbage collector and kubelet each take one step at a time, our decision sees caches that lag, each kind
 * by itself, and any step can come between its live look and its write.
 *
 * Two things are taken as given: the garbage collector knows all references when it orphans; and between a write that
 * adds a reference to a pod and the look back after it nothing happens, neither does the garbage collector delete the
 * claim nor do we crash.
 */

export const ordinals = [0, 1, 2] as const;
export type Ordinal = (typeof ordinals)[number];

const tenMinutes = 600_000;

export type Step =
  | { readonly kind: 'scale'; readonly replicas: number }
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'deleteSet'; readonly cascade: Cascade }
  | { readonly kind: 'createSet'; readonly replicas: number; readonly policy: Policy }
  | { readonly kind: 'deletePod'; readonly ordinal: Ordinal; readonly force: boolean }
  | { readonly kind: 'foreign'; readonly ordinal: Ordinal; readonly what: 'controller' | 'owner' | 'none' }
  /** A user refers to the set or the ordinal's pod without making it the claim's controller. */
  | { readonly kind: 'plain'; readonly ordinal: Ordinal; readonly to: 'set' | 'pod' }
  | { readonly kind: 'setController' }
  | { readonly kind: 'kubelet'; readonly ordinal: Ordinal }
  | { readonly kind: 'garbageCollector' }
  | { readonly kind: 'deliver'; readonly what: 'set' | 'pods' | 'claims' }
  | { readonly kind: 'look'; readonly ordinal: Ordinal }
  | { readonly kind: 'act'; readonly ordinal: Ordinal }
  /** Ten minutes pass: longer than anything is left to a stock controller. */
  | { readonly kind: 'time' }
  | { readonly kind: 'crash' };

interface SmallSet extends Policy {
  readonly uid: string;
  readonly replicas: number;
  readonly deletion: WorkloadFacts['deletion'];
}

interface SmallPod {
  readonly uid: string;
  readonly controller: string | undefined;
  readonly terminating: boolean;
}

interface State {
  set: SmallSet | undefined;
  pods: ReadonlyMap<Ordinal, SmallPod>;
  claims: ReadonlyMap<Ordinal, PersistentVolumeClaim>;
}

/** What the policies have allowed in the life of a claim. */
interface History {
  deletedWithSet: boolean;
  deletedOnScaleDown: boolean;
  /**
   * Its set was orphaned while neither a pod of a scale-down nor an earlier set owned it, and no other has come since.
   */
  orphaned: boolean;
  /** Its pod ended in a scale-down under Retain, as our cache had it too, and no other pod has come since. */
  keptOnScaleDown: boolean;
}

export interface World {
  step(step: Step): void;
  /** Every cache level, everything looked at and done, until nothing changes; gives the number of writes. */
  settle(): number;
  readonly truth: Readonly<State>;
  /** What must not have happened and did. */
  readonly violations: readonly string[];
}

/** @param stock what is known of a stock controller, which does nothing here: what is left to it is done late */
export function createWorld(stock: StockController = 'absent'): World {
  const truth: State = { set: undefined, pods: new Map(), claims: new Map() };
  let cache: State = { ...truth };
  const lastPods = new Map<string, string>();
  /** UIDs of claims whose pods might have ended before the policy that counts now, see `LastPods`. */
  const inDoubt = new Set<string>();
  const leftSince = new Map<Ordinal, { readonly wanted: string; readonly since: number }>();
  let time = 0;
  const pending = new Map<
    Ordinal,
    { readonly snapshot: Snapshot; readonly decision: Decision | 'lookBack'; readonly wasKept?: boolean }
  >();
  const histories = new Map<string, History>();
  const orphanedSets = new Set<string>();
  const violations: string[] = [];
  let uids = 0;
  let writes = 0;

  const uid = (kind: string): string => `${kind}-${String(++uids)}`;
  const without = <Value>(map: ReadonlyMap<Ordinal, Value>, ordinal: Ordinal): ReadonlyMap<Ordinal, Value> =>
    new Map([...map].filter(([each]) => each !== ordinal));
  const having = <Value>(map: ReadonlyMap<Ordinal, Value>, ordinal: Ordinal, value: Value) =>
    new Map([...map, [ordinal, value] as const]);
  const ownersOf = (claim: PersistentVolumeClaim): readonly OwnerReference[] =>
    claim.metadata.ownerReferences ?? [];

  const note = (): void => {
    for (const claim of truth.claims.values()) {
      const history = histories.get(claim.metadata.uid);
      if (history !== undefined && truth.set !== undefined) {
        history.deletedWithSet ||= truth.set.whenDeleted === 'Delete';
        history.deletedOnScaleDown ||= truth.set.whenScaled === 'Delete';
      }
    }
  };

  const writeOwners = (
    ordinal: Ordinal,
    references: readonly OwnerReference[],
  ): PersistentVolumeClaim | undefined => {
    const claim = truth.claims.get(ordinal);
    if (claim === undefined) {
      return undefined;
    }
    if (references.filter(({ controller }) => controller === true).length > 1) {
      violations.push(`claim ${String(ordinal)} has two controllers`);
    }
    const { name, namespace = '', uid: claimUid } = claim.metadata;
    const written: PersistentVolumeClaim = {
      metadata: {
        name,
        namespace,
        uid: claimUid,
        resourceVersion: String(++uids),
        ...(references.length === 0 ? {} : { ownerReferences: references }),
      },
    };
    truth.claims = having(truth.claims, ordinal, written);
    return written;
  };

  const factsOf = (set: SmallSet | undefined, ordinal: Ordinal): WorkloadFacts | undefined =>
    set && {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      name: 'web',
      uid: set.uid,
      createdAt: undefined,
      deletion: set.deletion,
      whenDeleted: set.whenDeleted,
      whenScaled: set.whenScaled,
      field: { whenDeleted: set.whenDeleted, whenScaled: set.whenScaled },
      wanted: ordinal < set.replicas,
      grace: undefined,
      deletionGrace: undefined,
    };
  const podFactsOf = (
    pod: SmallPod | undefined,
    set: SmallSet,
    claim: PersistentVolumeClaim,
  ): PodFacts | undefined =>
    pod && {
      uid: pod.uid,
      ofWorkload: pod.controller === set.uid,
      isInDoubt: inDoubt.has(claim.metadata.uid),
    };

  /** @param isNew whether the policy is, for all that our caches know */
  const judgeClaims = ({ replicas }: SmallSet, isNew: boolean): void => {
    for (const [ordinal, { metadata }] of cache.claims) {
      if (ordinal < replicas) {
        inDoubt.delete(metadata.uid);
      } else if (isNew) {
        inDoubt.add(metadata.uid);
      }
    }
  };

  const endPod = (ordinal: Ordinal): void => {
    const { set, pods, claims } = truth;
    const isScaleDown = pods.get(ordinal)?.controller === set?.uid && ordinal >= (set?.replicas ?? 0);
    const history = histories.get(claims.get(ordinal)?.metadata.uid ?? '');
    if (history !== undefined && isScaleDown && isRetained(set) && isRetained(cache.set)) {
      history.keptOnScaleDown = set?.uid === cache.set?.uid;
    }
    truth.pods = without(pods, ordinal);
  };

  const leftOf = (ordinal: Ordinal): Snapshot['left'] => {
    const left = leftSince.get(ordinal);
    return left && { wanted: left.wanted, for: time - left.since };
  };
  const noteLeft = (ordinal: Ordinal, decision: Decision): void => {
    if (decision.kind === 'none') {
      leftSince.delete(ordinal);
    } else if (decision.kind === 'leave' && leftSince.get(ordinal)?.wanted !== decision.wanted) {
      leftSince.set(ordinal, { wanted: decision.wanted, since: time });
    }
  };

  const snapshotOf = (ordinal: Ordinal): Snapshot | undefined => {
    const { set, pods, claims } = cache;
    const claim = claims.get(ordinal);
    const workload = factsOf(set, ordinal);
    return set === undefined || workload === undefined || claim === undefined
      ? undefined
      : {
          claim,
          podName: `web-${String(ordinal)}`,
          workload,
          shared: false,
          pod: podFactsOf(pods.get(ordinal), set, claim),
          lastPodUid: lastPods.get(claim.metadata.uid),
          markWasStray: false,
          stock,
          left: leftOf(ordinal),
          live: undefined,
          enabled: true,
          collectMissed: false,
          now: noon,
          serverNow: noon,
          noneOverBefore: undefined,
        };
  };

  const look = (ordinal: Ordinal): void => {
    const snapshot = snapshotOf(ordinal);
    if (snapshot === undefined) {
      pending.delete(ordinal);
      return;
    }
    const decision = decide(snapshot);
    noteLeft(ordinal, decision);
    if (decision.kind !== 'askLive') {
      pending.set(ordinal, { snapshot, decision });
      return;
    }
    const pod = truth.pods.get(ordinal);
    const live: Live = {
      workload: factsOf(truth.set, ordinal),
      pod:
        pod === undefined ? 'gone' : { uid: pod.uid, ofWorkload: pod.controller === snapshot.workload.uid },
      inUse: false,
      rival: 'none',
    };
    const asked = { ...snapshot, live };
    const answer = decide(asked);
    noteLeft(ordinal, answer);
    const wasKept = histories.get(snapshot.claim?.metadata.uid ?? '')?.keptOnScaleDown === true;
    pending.set(ordinal, { snapshot: asked, decision: answer, wasKept });
  };

  /** The guarded patch: nothing happens unless the claim is as it was read. */
  const patch = (ordinal: Ordinal, decision: OwnersDecision): PersistentVolumeClaim | undefined => {
    const claim = truth.claims.get(ordinal);
    const isAsRead =
      claim?.metadata.uid === decision.claim.metadata.uid &&
      JSON.stringify(ownersOf(claim)) === JSON.stringify(ownersOf(decision.claim));
    if (!isAsRead) {
      return undefined;
    }
    writes += 1;
    return writeOwners(ordinal, decision.references);
  };

  const act = (ordinal: Ordinal): void => {
    const due = pending.get(ordinal);
    pending.delete(ordinal);
    if (due?.decision === 'lookBack') {
      const again = decideAgain(due.snapshot, factsOf(truth.set, ordinal));
      if (again !== undefined) {
        pending.set(ordinal, { snapshot: due.snapshot, decision: again });
      }
      return;
    }
    if (due?.decision.kind !== 'setOwners') {
      return;
    }
    const { snapshot, decision } = due;
    if (decision.owner !== undefined && decision.operation !== 'confirm') {
      const seen = snapshot.live?.workload;
      const mayAdd =
        seen?.uid === snapshot.workload.uid &&
        seen.deletion === 'none' &&
        (decision.owner.kind === 'Pod'
          ? seen.whenScaled === 'Delete' && !seen.wanted
          : seen.whenDeleted === 'Delete' &&
            seen.uid === decision.owner.uid &&
            // Of a condemned ordinal only with a pod: otherwise the claim might be another's, or there for later.
            (seen.wanted ||
              snapshot.lastPodUid !== undefined ||
              [snapshot.pod, snapshot.live?.pod].some(isOfSet)));
      if (!mayAdd) {
        violations.push(
          `claim ${String(ordinal)} was given ${decision.owner.kind} against what was looked at`,
        );
      }
    }
    const written = patch(ordinal, decision);
    if (written === undefined || decision.owner === undefined || decision.operation === 'confirm') {
      return;
    }
    if (decision.owner.kind !== 'Pod') {
      pending.set(ordinal, { snapshot: { ...snapshot, claim: written }, decision: 'lookBack' });
      return;
    }
    const undo = decideAgain({ ...snapshot, claim: written }, factsOf(truth.set, ordinal));
    if (undo !== undefined) {
      patch(ordinal, undo);
    } else if (due.wasKept === true) {
      violations.push(`claim ${String(ordinal)} was given to its pod, which had ended under Retain`);
    }
  };

  const deliver = (what: 'set' | 'pods' | 'claims'): void => {
    if (what === 'set') {
      if (truth.set?.uid !== cache.set?.uid || truth.set?.whenScaled !== 'Delete') {
        lastPods.clear();
      }
      const [before, after] = [cache.set, truth.set];
      cache = { ...cache, set: after };
      if (after !== undefined) {
        judgeClaims(after, before?.uid !== after.uid || becameDelete(before, after));
      }
    } else if (what === 'claims') {
      for (const [ordinal, { metadata }] of truth.claims) {
        const isNew = cache.claims.get(ordinal)?.metadata.uid !== metadata.uid;
        if (isNew && ordinal >= (cache.set?.replicas ?? ordinals.length)) {
          inDoubt.add(metadata.uid);
        }
      }
      cache = { ...cache, claims: truth.claims };
    } else {
      for (const ordinal of ordinals) {
        const [before, after] = [cache.pods.get(ordinal), truth.pods.get(ordinal)];
        const claim = cache.claims.get(ordinal);
        if (claim === undefined || before?.uid === after?.uid) {
          continue;
        }
        lastPods.delete(claim.metadata.uid);
        if (
          after === undefined &&
          !inDoubt.has(claim.metadata.uid) &&
          before?.controller === cache.set?.uid &&
          cache.set?.whenScaled === 'Delete'
        ) {
          lastPods.set(claim.metadata.uid, before?.uid ?? '');
        }
      }
      cache = { ...cache, pods: truth.pods };
    }
  };

  const collectClaim = (ordinal: Ordinal, claim: PersistentVolumeClaim): void => {
    const history = histories.get(claim.metadata.uid);
    const owners = ownersOf(claim);
    const hasPod = owners.some(({ kind }) => kind === 'Pod');
    const say = (why: string): void => {
      violations.push(`claim ${String(ordinal)} went: ${why}; owners ${JSON.stringify(owners)}`);
    };
    if (hasPod && history?.deletedOnScaleDown !== true) {
      say('with a pod, though whenScaled was always Retain');
    }
    if (!hasPod && history?.deletedWithSet !== true) {
      say('with its set, though whenDeleted was always Retain');
    }
    if (owners.some((owner) => orphanedSets.has(owner.uid)) || history?.orphaned === true) {
      say('though its set was orphaned');
    }
    truth.claims = without(truth.claims, ordinal);
  };

  const collect = (): void => {
    const { set } = truth;
    if (set?.deletion === 'orphaning') {
      orphanedSets.add(set.uid);
      for (const [ordinal, claim] of truth.claims) {
        const kept = ownersOf(claim).filter((owner) => owner.uid !== set.uid);
        writeOwners(ordinal, kept);
        const history = histories.get(claim.metadata.uid);
        if (history !== undefined && !kept.some(({ kind }) => kind === 'Pod' || kind === 'StatefulSet')) {
          history.orphaned = true;
        }
      }
      truth.pods = new Map(
        [...truth.pods].map(([ordinal, pod]) => [
          ordinal,
          pod.controller === set.uid ? { ...pod, controller: undefined } : pod,
        ]),
      );
      truth.set = undefined;
    }
    for (const [ordinal, pod] of truth.pods) {
      const isGoing = pod.controller !== undefined && pod.controller !== truth.set?.uid;
      if (isGoing || (truth.set?.deletion === 'underWay' && pod.controller === truth.set.uid)) {
        truth.pods = having(truth.pods, ordinal, { ...pod, terminating: true });
      }
    }
    if (set?.deletion === 'underWay' && ![...truth.pods.values()].some((pod) => pod.controller === set.uid)) {
      truth.set = undefined;
    }
    const isThere = ({ kind, uid: owner }: OwnerReference): boolean => {
      if (kind === 'StatefulSet') {
        return owner === truth.set?.uid && truth.set.deletion !== 'underWay';
      }
      return kind === 'Pod' ? [...truth.pods.values()].some((pod) => pod.uid === owner) : true;
    };
    for (const [ordinal, claim] of truth.claims) {
      const owners = ownersOf(claim);
      if (owners.length > 0 && !owners.some(isThere)) {
        collectClaim(ordinal, claim);
      } else if (!owners.every(isThere)) {
        writeOwners(ordinal, owners.filter(isThere));
      }
    }
  };

  const runSetController = (): void => {
    const { set } = truth;
    if (set === undefined || set.deletion !== 'none') {
      return;
    }
    for (const ordinal of ordinals) {
      const pod = truth.pods.get(ordinal);
      const claim = truth.claims.get(ordinal);
      if (pod !== undefined && pod.controller === undefined && !pod.terminating) {
        truth.pods = having(truth.pods, ordinal, { ...pod, controller: set.uid });
      } else if (ordinal >= set.replicas && pod !== undefined) {
        truth.pods = having(truth.pods, ordinal, { ...pod, terminating: true });
      } else if (ordinal < set.replicas && pod === undefined) {
        if (claim === undefined) {
          const made = uid('claim');
          histories.set(made, {
            deletedWithSet: false,
            deletedOnScaleDown: false,
            orphaned: false,
            keptOnScaleDown: false,
          });
          const metadata = { name: `data-web-${String(ordinal)}`, namespace: 'ns', uid: made };
          truth.claims = having(truth.claims, ordinal, { metadata: { ...metadata, resourceVersion: '1' } });
        }
        const history = histories.get(truth.claims.get(ordinal)?.metadata.uid ?? '');
        if (history !== undefined) {
          history.keptOnScaleDown = false;
        }
        const fresh = { uid: uid('pod'), controller: set.uid, terminating: false };
        truth.pods = having(truth.pods, ordinal, fresh);
      }
    }
  };

  const setForeign = (ordinal: Ordinal, what: 'controller' | 'owner' | 'none'): void => {
    const claim = truth.claims.get(ordinal);
    if (claim === undefined) {
      return;
    }
    const others = ownersOf(claim).filter(
      ({ uid: owner }) => ![foreignController, foreignOwner].some((each) => each.uid === owner),
    );
    const hasController = others.some(({ controller }) => controller === true);
    if (what === 'none' || (what === 'controller' && hasController)) {
      writeOwners(ordinal, others);
    } else {
      writeOwners(ordinal, [...others, what === 'controller' ? foreignController : foreignOwner]);
    }
  };

  const addPlain = (ordinal: Ordinal, to: 'set' | 'pod'): void => {
    const claim = truth.claims.get(ordinal);
    const owner = to === 'set' ? truth.set?.uid : truth.pods.get(ordinal)?.uid;
    if (claim === undefined || owner === undefined || ownersOf(claim).some(({ uid: has }) => has === owner)) {
      return;
    }
    const reference =
      to === 'set' ? toSet({ uid: owner }) : toPod({ name: `web-${String(ordinal)}`, uid: owner });
    writeOwners(ordinal, [...ownersOf(claim), plain(reference)]);
  };

  const deleteSet = (cascade: Cascade): void => {
    if (truth.set === undefined || truth.set.deletion !== 'none') {
      return;
    }
    truth.set =
      cascade === 'Background'
        ? undefined
        : { ...truth.set, deletion: cascade === 'Orphan' ? 'orphaning' : 'underWay' };
  };

  const step = (next: Step): void => {
    switch (next.kind) {
      case 'scale':
        truth.set = truth.set && { ...truth.set, replicas: next.replicas };
        break;
      case 'policy':
        truth.set = truth.set && { ...truth.set, ...next.policy };
        break;
      case 'deleteSet':
        deleteSet(next.cascade);
        break;
      case 'createSet':
        if (truth.set === undefined) {
          truth.set = { uid: uid('set'), replicas: next.replicas, deletion: 'none', ...next.policy };
          for (const claim of truth.claims.values()) {
            const history = histories.get(claim.metadata.uid);
            if (history !== undefined) {
              history.orphaned = false;
            }
          }
        }
        break;
      case 'deletePod': {
        const pod = truth.pods.get(next.ordinal);
        if (pod !== undefined) {
          if (next.force) {
            endPod(next.ordinal);
          } else {
            truth.pods = having(truth.pods, next.ordinal, { ...pod, terminating: true });
          }
        }
        break;
      }
      case 'foreign':
        setForeign(next.ordinal, next.what);
        break;
      case 'plain':
        addPlain(next.ordinal, next.to);
        break;
      case 'setController':
        runSetController();
        break;
      case 'kubelet':
        if (truth.pods.get(next.ordinal)?.terminating === true) {
          endPod(next.ordinal);
        }
        break;
      case 'garbageCollector':
        collect();
        break;
      case 'deliver':
        deliver(next.what);
        break;
      case 'look':
        look(next.ordinal);
        break;
      case 'act':
        act(next.ordinal);
        break;
      case 'time':
        time += tenMinutes;
        break;
      case 'crash':
        pending.clear();
        leftSince.clear();
        lastPods.clear();
        inDoubt.clear();
        cache = { ...truth };
        if (cache.set !== undefined) {
          judgeClaims(cache.set, true);
        }
        break;
    }
    note();
  };

  const settle = (): number => {
    const before = writes;
    for (let round = 0; round < 10; round++) {
      time += tenMinutes;
      for (const what of ['pods', 'set', 'claims'] as const) {
        deliver(what);
      }
      for (const ordinal of ordinals) {
        look(ordinal);
        act(ordinal);
      }
    }
    return writes - before;
  };

  return { step, settle, truth, violations };
}

function isRetained(set: SmallSet | undefined): boolean {
  return set?.whenScaled === 'Retain' && set.deletion === 'none';
}

function becameDelete(before: SmallSet, after: SmallSet): boolean {
  return (['whenDeleted', 'whenScaled'] as const).some(
    (half) => before[half] !== 'Delete' && after[half] === 'Delete',
  );
}

function isOfSet(pod: Live['pod'] | undefined): boolean {
  return typeof pod === 'object' && pod.ofWorkload;
}

/** The table, written anew: the owner that a claim should have, `either` where that depends on what was seen. */
export function wantedByTable(
  { set, pods }: Readonly<State>,
  ordinal: Ordinal,
): OwnerReference | undefined | 'either' {
  if (set === undefined || set.deletion !== 'none') {
    return 'either';
  }
  const bySet = set.whenDeleted === 'Delete' ? toSet({ uid: set.uid }) : undefined;
  if (ordinal < set.replicas) {
    return bySet;
  }
  const pod = pods.get(ordinal);
  // Without a pod of the set it depends on what was seen of its end, and on what the claim had.
  if (pod?.controller !== set.uid) {
    return bySet === undefined && set.whenScaled === 'Retain' ? undefined : 'either';
  }
  return set.whenScaled === 'Retain' ? bySet : toPod({ name: `web-${String(ordinal)}`, uid: pod.uid });
}
