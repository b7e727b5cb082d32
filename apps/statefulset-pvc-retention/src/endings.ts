import { isTerminating, keyOf, objectKey, type ObjectKey } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';
import type { Ending } from './decide/leftover.ts';
import { deletionOf, type Workload } from './workload.ts';

/**
 * How workloads ended. Once one is gone nothing in the cluster says whether its dependents were to survive it, so it must have been seen:
 *
 * | last state before the end                                          | ended                                  |
 * |--------------------------------------------------------------------|----------------------------------------|
 * | any, and it was seen being orphaned                                | orphaned                               |
 * | not terminating: whoever orphans has the API server set a          | with its dependents                    |
 * | finalizer first                                                    |                                        |
 * | waiting for its dependents: the garbage collector deletes them     | with its dependents                    |
 * | held up by nothing but finalizers of others                        | unknown: the one that orphans might    |
 * |                                                                    | have come and gone in a gap of the watch |
 * | any, and another of its name, of whatever kind, has ended since    | made again, however that one ended     |
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
  /** Undefined: not known. */
  of(workload: EndedWorkload): Ending | undefined;
}

/** A workload that is not there any more. */
export interface EndedWorkload {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
}

/** What its last state says: `waiting` for its dependents, which go first; `heldUp` by finalizers that say nothing of its dependents. */
type Course = 'alive' | 'orphaned' | 'waiting' | 'heldUp';

function courseOf(workload: Workload): Course {
  switch (deletionOf(workload)) {
    case 'none':
      return 'alive';
    case 'orphaning':
      return 'orphaned';
    case 'underWay':
      return workload.metadata.finalizers?.includes(foregroundFinalizer) === true ? 'waiting' : 'heldUp';
  }
}

/** The garbage collector's finalizer: an owner has it until its dependents are gone that block its deletion. */
const foregroundFinalizer = 'foregroundDeletion';

/** How long an ending is remembered, milliseconds: its claims are marked in seconds. */
const memory = 3_600_000;

/**
 * @param isNamed whether a claim is still marked with, or tied to, a workload of this key, of whatever UID: that another of its name was there since then keeps the claim, and is not
 *   forgotten, be it that the API server refuses for hours to have its mark taken away. Default: none is.
 */
export function createEndings(
  clock: Clock,
  isNamed: (workload: ObjectKey) => boolean = () => false,
): Endings {
  const courses = new Map<string, { readonly resourceVersion: string; readonly course: Course }>();
  const endings = createMemory<Ending>(clock, () => false);
  /** UID of the last that ended, by the name. */
  const lastOf = createMemory<string>(clock, isNamed);
  return {
    saw: (workload) => {
      const { uid, resourceVersion } = workload.metadata;
      // As after a restore of etcd: how it ended before says nothing of how it will.
      endings.delete(uid);
      const isOrphaned = courses.get(uid)?.course === 'orphaned';
      courses.set(uid, { resourceVersion, course: isOrphaned ? 'orphaned' : courseOf(workload) });
    },
    ended: (last, window) => {
      const { uid, resourceVersion } = last.metadata;
      const before = courses.get(uid);
      courses.delete(uid);
      lastOf.set(objectKey(last), uid);
      // The deletion has a version of its own; a workload that a list lacks, or that can't be read any more, is given as it was.
      if (before === undefined || before.resourceVersion === resourceVersion) {
        return;
      }
      const isWithDependents = before.course === (isTerminating(last) ? 'waiting' : 'alive');
      if (before.course === 'orphaned') {
        endings.set(uid, { kind: 'orphaned' });
      } else if (window !== undefined && isWithDependents) {
        endings.set(uid, { kind: 'withDependents', window });
      }
    },
    of: ({ namespace, name, uid }) => {
      const last = lastOf.get(keyOf({ namespace, name }));
      return last === undefined || last === uid ? endings.get(uid) : { kind: 'madeAgain' };
    },
  };
}

interface Memory<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
}

/** Forgets what is too old, and not needed, when something is remembered. */
function createMemory<T>(clock: Clock, isNeeded: (key: string) => boolean): Memory<T> {
  /** The oldest first. */
  const entries = new Map<string, { readonly value: T; readonly since: number }>();
  return {
    get: (key) => entries.get(key)?.value,
    set: (key, value) => {
      const since = clock.now();
      entries.delete(key);
      entries.set(key, { value, since });
      for (const [each, known] of entries) {
        if (since - known.since <= memory) {
          return;
        }
        entries.delete(each);
        if (isNeeded(each)) {
          entries.set(each, { ...known, since });
        }
      }
    },
    delete: (key) => void entries.delete(key),
  };
}
