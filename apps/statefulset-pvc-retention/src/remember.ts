import type { OwnerReference, PersistentVolumeClaim, Pod } from '@holdfast/core';
import type { EventHandler } from '@holdfast/runtime';
import { decide } from './decide/decide.ts';
import { isWrittenByStock } from './decide/give-way.ts';
import { isOlderMark, markId, markOf } from './decide/mark.ts';
import { referencesOf } from './decide/references.ts';
import type { Policy } from './decide/snapshot.ts';
import type { Endings } from './endings.ts';
import type { LastPods } from './last-pods.ts';
import type { Notices } from './notices.ts';
import { signOfRestore } from './restored.ts';
import type { StockWatch } from './stock-watch.ts';
import type { StrayMarks } from './stray-marks.ts';
import type { View } from './view.ts';
import { haveSameTemplates, policyOf, workloadAnnotations, type Workload } from './workload.ts';

export interface RememberOptions {
  readonly view: View;
  readonly lastPods: LastPods;
  readonly strayMarks: StrayMarks;
  readonly stock: Pick<StockWatch, 'sawItAtWork' | 'forget'>;
  readonly endings: Pick<Endings, 'saw' | 'ended'>;
  readonly notices: Pick<Notices, 'forget'>;
  /** Returns all claims that a pod might concern. */
  readonly claimsOfPod: (pod: Pod) => readonly PersistentVolumeClaim[];
  /** Returns whether two states of a workload say the same about its claims. */
  readonly saysTheSame: (before: Workload, after: Workload) => boolean;
  /** Returns the undo window that a workload which is gone gives its claims, in milliseconds. */
  readonly deletionWindowOf: (last: Workload) => number | undefined;
  /** Whether gate StatefulSetAutoDeletePVC is on. */
  readonly enabled: boolean;
}

/** What a change leaves in memory. Decisions read it, so these handlers come before those that wake keys. */
export interface Remember {
  readonly workload: EventHandler<Workload>;
  readonly claim: EventHandler<PersistentVolumeClaim>;
  readonly pod: EventHandler<Pod>;
}

export function createRemember(options: RememberOptions): Remember {
  const { view, lastPods, strayMarks, stock, endings, notices, claimsOfPod, saysTheSame } = options;
  const { deletionWindowOf, enabled } = options;

  const forgetLastPods = (workload: Workload): void => {
    for (const claim of view.claimsOf(workload)) {
      lastPods.forget(claim);
    }
  };
  /** @param isNew whether the policy is, for all that this process knows */
  const judgeClaims = (workload: Workload, isNew: boolean): void => {
    for (const claim of view.claimsOf(workload)) {
      if (view.isWanted(workload, claim)) {
        lastPods.trust(claim);
      } else if (isNew) {
        lastPods.doubt(claim);
      }
    }
  };
  const isWaiting = (claim: PersistentVolumeClaim): boolean =>
    markOf(claim) !== undefined && !strayMarks.has(claim);
  /** Remembers a mark that has to be removed as things are now. */
  const judgeMark = (claim: PersistentVolumeClaim): void => {
    if (markOf(claim) === undefined) {
      return;
    }
    const isStray = view.workloadsOf(claim).some((owner) => {
      const decision = decide(view.snapshot(owner, claim));
      return decision.kind === 'unmark' && decision.what === 'mark';
    });
    if (isStray) {
      strayMarks.add(claim);
    }
  };
  /** @param before empty for a claim that was just created */
  const learnOfStock = (before: readonly OwnerReference[], claim: PersistentVolumeClaim): void => {
    for (const owner of view.workloadsOf(claim)) {
      if (isWrittenByStock(before, view.snapshot(owner, claim))) {
        stock.sawItAtWork();
      }
    }
  };

  return {
    workload: {
      added: (workload) => {
        endings.saw(workload);
        judgeClaims(workload, true);
        view.claimsOf(workload).forEach(judgeMark);
      },
      updated: (before, after) => {
        endings.saw(after);
        const hidesStates = signOfRestore(before, after) !== undefined || skipsStates(before, after);
        // A set that says the same can still have been scaled up and down meanwhile.
        if (!hidesStates && saysTheSame(before, after)) {
          return;
        }
        // A policy does not apply to what was scaled down before it became Delete, which it might have done
        // unseen, nor to what a window kept until it ended, nor to pods of data that a backup has replaced, nor
        // to claims of a template that had another policy, or none, meanwhile.
        const isOver =
          (asksForWindow(before) && !asksForWindow(after)) ||
          hidesStates ||
          !haveSameTemplates(before, after);
        if (policyOf(after).whenScaled !== 'Delete' || isOver) {
          forgetLastPods(before);
          forgetLastPods(after);
        }
        const isNew = isOver || halves.some((half) => becameDelete(half, before, after));
        judgeClaims(after, isNew);
        view.claimsOf(after).forEach(judgeMark);
      },
      deleted: (last) => {
        endings.ended(last, deletionWindowOf(last));
        forgetLastPods(last);
        notices.forget(last);
      },
    },
    claim: {
      added: (claim, initial) => {
        const owners = view.workloadsOf(claim);
        if (owners.length > 0 && !owners.some(({ workload }) => view.isWanted(workload, claim))) {
          lastPods.doubt(claim);
        }
        judgeMark(claim);
        if (!initial) {
          learnOfStock([], claim);
        }
      },
      updated: (before, after) => {
        learnOfStock(referencesOf(before), after);
        if (markId(before) !== markId(after)) {
          strayMarks.add(before);
        }
        if (isOlderMark(before, after)) {
          strayMarks.add(after);
        }
        judgeMark(after);
        // If its window is removed, the claim must not be given to a pod that went while it waited.
        if (isWaiting(after)) {
          lastPods.forget(after);
        }
      },
      deleted: (last) => {
        lastPods.forget(last);
        lastPods.trust(last);
        strayMarks.delete(last);
        notices.forget(last);
        stock.forget(last);
      },
    },
    pod: {
      added: (pod) => {
        for (const claim of claimsOfPod(pod)) {
          lastPods.forget(claim);
        }
      },
      deleted: (last) => {
        const owner = view.workloadOfPod(last);
        if (enabled && owner !== undefined && policyOf(owner.workload).whenScaled === 'Delete') {
          for (const claim of view.claimsOfPod(owner.workload, last)) {
            if (!isWaiting(claim) && !lastPods.isInDoubt(claim)) {
              lastPods.remember(claim, last.metadata.uid);
            }
          }
        }
      },
    },
  };
}

const halves = ['whenDeleted', 'whenScaled'] as const;

function becameDelete(half: keyof Policy, before: Workload, after: Workload): boolean {
  return policyOf(before)[half] !== 'Delete' && policyOf(after)[half] === 'Delete';
}

/** Each change of the spec counts the generation up by one; a new list can skip some. */
function skipsStates({ metadata: before }: Workload, { metadata: after }: Workload): boolean {
  return (
    before.generation !== undefined &&
    after.generation !== undefined &&
    after.generation > before.generation + 1
  );
}

function asksForWindow({ metadata }: Workload): boolean {
  return metadata.annotations?.[workloadAnnotations.grace] !== undefined;
}
