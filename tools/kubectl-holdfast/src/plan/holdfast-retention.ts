import { controllerOf, type PersistentVolumeClaim, type Pod, type StatefulSet } from '@holdfast/core';
import {
  annotationsOf,
  decide,
  decideLeftover,
  factsOf,
  type Decision,
  type Ending,
  type LeftoverDecision,
  type PodFacts,
  type Snapshot,
} from '@holdfast/statefulset-pvc-retention/decide';
import { withAnnotations, withOwners } from './apply.ts';
import type { HoldfastGates, World } from './world.ts';

/** What statefulset-pvc-retention has done with a claim once it has nothing left to do about it for now. */
export interface Settled {
  /** Undefined if it deletes the claim. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** Why it left the claim as it is, or deleted it. */
  readonly reason: Extract<Decision | LeftoverDecision, { reason: string }>['reason'] | undefined;
}

export interface Circumstances extends Pick<World, 'now'> {
  readonly gates: HoldfastGates;
  /** The time before which it deletes nothing that waits for its time; undefined if there is none. */
  readonly noneOverBefore: number | undefined;
  readonly stockAtWork: boolean;
  /** Whether this controller has already waited as long as it waits for the stock controller. */
  readonly waited: boolean;
}

export interface ClaimOfSet extends Pick<World, 'resource'> {
  readonly set: StatefulSet;
  readonly ordinal: number;
  readonly shared: boolean;
  /** The pod with the ordinal's name. */
  readonly pod: Pod | undefined;
  /** The UID of the ordinal's pod that the controller has seen removed. */
  readonly lastPodUid: string | undefined;
  /** Whether some pod names the claim. */
  readonly inUse: boolean;
}

/**
 * A decision takes a few steps: read, write, confirm what was written. If more were needed, the controller
 * would be going in circles.
 */
const mostSteps = 20;

/**
 * Lets the controller decide about a claim of an existing set again and again, until it has nothing left to
 * do. Its live reads return what is in `of`.
 */
export function settle(claim: PersistentVolumeClaim, of: ClaimOfSet, around: Circumstances): Settled {
  const { resource, set, ordinal, shared, inUse, lastPodUid } = of;
  const { gates, now, noneOverBefore, stockAtWork, waited } = around;
  const workload = factsOf(set, resource, ordinal, gates);
  const pod = of.pod && podFacts(of.pod, set);
  let snapshot: Snapshot = {
    claim,
    podName: `${set.metadata.name}-${String(ordinal)}`,
    workload,
    shared,
    pod,
    lastPodUid,
    markWasStray: false,
    stock: stockAtWork ? 'atWork' : 'absent',
    left: undefined,
    live: undefined,
    enabled: gates.enabled('StatefulSetAutoDeletePVC'),
    collectMissed: gates.enabled('CollectMissedScaleDown'),
    now,
    serverNow: now,
    noneOverBefore,
  };
  let current = claim;
  for (let step = 0; step < mostSteps; step += 1) {
    const decision = decide({ ...snapshot, claim: current });
    switch (decision.kind) {
      case 'askLive': {
        const live = { workload, pod: pod ?? 'gone', inUse, rival: shared ? 'there' : 'none' } as const;
        snapshot = { ...snapshot, live };
        break;
      }
      case 'leave':
        if (!waited) {
          return { claim: current, reason: decision.reason };
        }
        snapshot = { ...snapshot, left: { wanted: decision.wanted, for: Infinity } };
        break;
      default: {
        const done = carryOut(current, decision);
        if (done.isOver) {
          return done;
        }
        current = done.claim;
      }
    }
  }
  throw new Error(`the decisions on claim ${claim.metadata.name} do not come to an end`);
}

export interface Left {
  /** How the claim's set ended, as far as the controller has seen it; undefined if it has not. */
  readonly ending: Ending | undefined;
  /** An existing pod that controls the claim, with what the controller asks about it. */
  readonly livePod: Pod | undefined;
  readonly namesClaim: boolean;
  /** Whether another set makes claims of this name. */
  readonly shared: boolean;
  readonly inUse: boolean;
}

/** The same for a claim whose set is gone. */
export function settleLeftover(
  claim: PersistentVolumeClaim,
  { ending, livePod, namesClaim, shared, inUse }: Left,
  { gates, now, noneOverBefore }: Circumstances,
): Settled {
  let current = claim;
  for (let step = 0; step < mostSteps; step += 1) {
    const decision = decideLeftover({
      claim: current,
      withoutTemplate: [],
      isTiedInVain: false,
      isOfAnotherKind: false,
      markWasStray: false,
      livePod:
        livePod === undefined
          ? 'none'
          : { uid: livePod.metadata.uid, orphaned: controllerOf(livePod) === undefined, namesClaim },
      ending,
      live: { workload: shared ? 'there' : 'gone', inUse },
      windows: gates.enabled('StatefulSetAutoDeletePVC') && gates.enabled('DeletionGracePeriod'),
      now,
      serverNow: now,
      noneOverBefore,
    });
    if (decision.kind === 'askLive') {
      throw new Error(`what a look at claim ${claim.metadata.name} would show is known already`);
    }
    const done = carryOut(current, decision);
    if (done.isOver) {
      return done;
    }
    current = done.claim;
  }
  throw new Error(`the decisions on claim ${claim.metadata.name} do not come to an end`);
}

type CarriedOut =
  (Settled & { readonly isOver: true }) | { readonly isOver: false; readonly claim: PersistentVolumeClaim };

function carryOut(
  claim: PersistentVolumeClaim,
  decision: Exclude<Decision | LeftoverDecision, { readonly kind: 'askLive' | 'leave' }>,
): CarriedOut {
  const go = (next: PersistentVolumeClaim): CarriedOut => ({ isOver: false, claim: next });
  switch (decision.kind) {
    case 'setOwners':
      return go(withOwners(claim, decision.references));
    case 'mark':
    case 'unmark':
    case 'tie':
    case 'untie':
      return go(withAnnotations(claim, annotationsOf(decision)));
    case 'deleteClaim':
      return { isOver: true, claim: undefined, reason: decision.reason };
    case 'lookAgain':
      return { isOver: true, claim, reason: undefined };
    case 'none':
    case 'wait':
    case 'postpone':
      return { isOver: true, claim, reason: decision.reason };
  }
}

function podFacts(pod: Pod, set: StatefulSet): PodFacts {
  return { uid: pod.metadata.uid, ofWorkload: controllerOf(pod)?.uid === set.metadata.uid };
}
