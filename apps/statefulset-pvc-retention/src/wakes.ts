import {
  controllerOf,
  isTerminating,
  objectKey,
  persistentVolumeClaims,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import type { IndexedStore, Woken, WokenLater } from '@holdfast/runtime';
import { decide } from './decide/decide.ts';
import { isHeld } from './decide/hold.ts';
import { markOf } from './decide/mark.ts';
import { controllingPod } from './decide/references.ts';
import { tieOf } from './decide/tie.ts';
import type { Notices } from './notices.ts';
import type { StockWatch } from './stock-watch.ts';
import { subjectOf } from './subject.ts';
import type { View } from './view.ts';
import { haveSameTemplates, type Workload, type WorkloadResource } from './workload.ts';

type Keys = Iterable<string | WokenLater>;

/** Which keys a change wakes, see `statefulSetPvcRetention`. */
export interface RetentionWakes {
  claim(claim: PersistentVolumeClaim, initial: boolean): Keys;
  /** Returns all claims that a pod might concern: those of its ordinal, and those that it controls. */
  claimsOfPod(pod: Pod): readonly PersistentVolumeClaim[];
  pod(pod: Pod): Keys;
  podChanged(before: Pod, after: Pod): Woken;
  workload(resource: WorkloadResource, workload: Workload, initial: boolean): Keys;
  /** Called when the workload says something else about its claims than before. */
  workloadChanged(resource: WorkloadResource, before: Workload, after: Workload): Keys;
  workloadGone(last: Workload): Keys;
}

export interface RetentionWakesOptions {
  readonly claims: IndexedStore<PersistentVolumeClaim, 'pod'>;
  readonly view: View;
  readonly stock: Pick<StockWatch, 'forget'>;
  readonly notices: Pick<Notices, 'hasNews'>;
}

/**
 * The process that holds a claim usually confirms it at once. This is the time until another process does, in
 * milliseconds.
 */
const lookBackTime = 2_000;

export function createRetentionWakes({
  claims,
  view,
  stock,
  notices,
}: RetentionWakesOptions): RetentionWakes {
  function* ofClaim(claim: PersistentVolumeClaim, initial: boolean): Keys {
    const owners = view.workloadsOf(claim);
    if ((owners.length === 0 && mightBeLeftover(claim)) || view.lacksTemplate(claim)) {
      yield subjectOf(persistentVolumeClaims, claim);
    }
    for (const owner of owners) {
      const decision = decide(view.snapshot(owner, claim));
      if (decision.kind === 'none') {
        stock.forget(claim);
      }
      if (decision.kind === 'askLive' && isHeld(claim) && !initial) {
        yield { key: subjectOf(owner.resource, owner.workload), delay: lookBackTime };
      } else if (decision.kind !== 'none' || notices.hasNews(claim, decision)) {
        yield subjectOf(owner.resource, owner.workload);
      }
    }
  }
  function* ofClaims(some: readonly PersistentVolumeClaim[], initial: boolean): Keys {
    for (const claim of some) {
      yield* ofClaim(claim, initial);
    }
  }
  function* withoutTemplate(workload: Workload, initial: boolean): Keys {
    for (const claim of view.controlledBy(workload)) {
      if (view.lacksTemplate(claim)) {
        yield* ofClaim(claim, initial);
      }
    }
  }
  const claimsOfPod: RetentionWakes['claimsOfPod'] = (pod) => [
    ...view.workloadsNamedBy(pod).flatMap(({ workload }) => view.claimsOfPod(workload, pod)),
    ...claims.byIndex('pod', objectKey(pod)),
  ];
  const pod: RetentionWakes['pod'] = (pod) => ofClaims(claimsOfPod(pod), false);

  return {
    claim: ofClaim,
    claimsOfPod,
    pod,
    podChanged: (before, after) =>
      controllerOf(before)?.uid === controllerOf(after)?.uid ? undefined : pod(after),
    workload: function* (resource, workload, initial) {
      yield subjectOf(resource, workload);
      // What another workload has put on a claim that is named after both must be removed now.
      for (const claim of view.claimsOf(workload)) {
        if (view.workloadsOf(claim).length > 1) {
          yield* ofClaim(claim, initial);
        }
      }
      yield* withoutTemplate(workload, initial);
      // A workload that is made again under its name with other templates undoes its deletion as well.
      yield* ofClaims(
        view.namedOn(workload).filter((claim) => view.workloadsOf(claim).length === 0),
        initial,
      );
    },
    workloadChanged: function* (resource, before, after) {
      yield subjectOf(resource, after);
      if (!haveSameTemplates(before, after)) {
        yield* ofClaims([...view.claimsOf(before), ...view.claimsOf(after)], false);
        yield* withoutTemplate(after, false);
      }
    },
    workloadGone: (last) => ofClaims(view.claimsOf(last), false),
  };
}

/**
 * Returns whether it is held, marked, tied, or controlled by a pod that it is named after. A closer look
 * shows whether a workload left it like this.
 */
function mightBeLeftover(claim: PersistentVolumeClaim): boolean {
  return (
    !isTerminating(claim) &&
    (isHeld(claim) || [markOf, tieOf, controllingPod].some((of) => of(claim) !== undefined))
  );
}
