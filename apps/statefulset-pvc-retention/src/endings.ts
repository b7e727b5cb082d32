import { isTerminating } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';
import type { Ending } from './decide/leftover.ts';
import type { WorkloadFacts } from './decide/snapshot.ts';
import { deletionOf, type Workload } from './workload.ts';

/**
 * How workloads ended. Once one is gone nothing in the cluster says whether its dependents were to survive it, so it must have been seen:
 * - deleted at once, without ever being terminating: whoever orphans has the API server set a finalizer first;
 * - or terminating, by its finalizers in the last state before.
 *
 * In memory only, and only for what the watch itself reported: where a list just lacks the workload, or it can't be read any more, what
 * happened between is not known, and the claims stay.
 */
export interface Endings {
  /** A workload as it is now. */
  saw(workload: Workload): void;
  /**
   * @param last as the handlers of the informer are given it
   * @param window time for undo that it gives its claims, milliseconds; undefined: they do not go with it, or not by a window
   */
  ended(last: Workload, window: number | undefined): void;
  /** By the workload's UID; undefined: not known. */
  of(uid: string): Ending | undefined;
}

/** How long an ending is remembered, milliseconds: its claims are marked in seconds. */
const memory = 3_600_000;

export function createEndings(clock: Clock): Endings {
  const alive = new Map<
    string,
    { readonly resourceVersion: string; readonly deletion: WorkloadFacts['deletion'] }
  >();
  const endings = new Map<string, { readonly ending: Ending; readonly since: number }>();
  return {
    saw: (workload) => {
      const { uid, resourceVersion } = workload.metadata;
      alive.set(uid, { resourceVersion, deletion: deletionOf(workload) });
    },
    ended: (last, window) => {
      const { uid, resourceVersion } = last.metadata;
      const before = alive.get(uid);
      alive.delete(uid);
      for (const [each, { since }] of endings) {
        if (clock.now() - since > memory) {
          endings.delete(each);
        }
      }
      // The deletion has a version of its own; a workload that a list lacks, or that can't be read any more, is given as it was.
      if (before === undefined || before.resourceVersion === resourceVersion) {
        return;
      }
      const since = clock.now();
      if (before.deletion === 'orphaning') {
        endings.set(uid, { ending: { kind: 'orphaned' }, since });
      } else if (window !== undefined && isTerminating(last) === (before.deletion === 'underWay')) {
        endings.set(uid, { ending: { kind: 'withDependents', window }, since });
      }
    },
    of: (uid) => endings.get(uid)?.ending,
  };
}
