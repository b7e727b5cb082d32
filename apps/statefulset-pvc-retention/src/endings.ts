import { isTerminating, keyOf, objectKey, type ObjectKey } from '@holdfast/core';
import type { Clock } from '@holdfast/runtime';
import type { Ending } from './decide/leftover.ts';
import { deletionOf, type Workload } from './workload.ts';

/**
 * How workloads ended. Once a workload is gone nothing in the cluster shows whether its dependents were to
 * survive it, so its end must have been seen:
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
 * It is kept in memory only, and only for what the watch itself reported. If a list simply lacks the
 * workload, or it cannot be read any more, it is unknown what happened in between, and the claims stay.
 */
export interface Endings {
  /** Records a workload as it is now. */
  saw(workload: Workload): void;
  /**
   * Records the end of a workload.
   *
   * @param last as the informer passes it to its handlers
   * @param window the undo window of its claims, in milliseconds; undefined if they are not deleted with it,
   *   or not after a window
   */
  ended(last: Workload, window: number | undefined): void;
  /** Returns how it ended; undefined if that is not known. */
  of(workload: EndedWorkload): Ending | undefined;
}

/** A workload that no longer exists. */
export interface EndedWorkload {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
}

/**
 * What its last state shows: `waiting` for its dependents, which go first; `heldUp` by finalizers that say
 * nothing about its dependents.
 */
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

/**
 * The garbage collector's finalizer: an owner has it until those dependents are gone that block its deletion.
 */
const foregroundFinalizer = 'foregroundDeletion';

/** How long an ending is remembered, in milliseconds: its claims are marked within seconds. */
const memory = 3_600_000;

/**
 * Creates the memory of endings.
 *
 * @param isNamed returns whether a claim is still marked with, or tied to, a workload of this key, whatever
 *   its UID. That another workload of this name existed since keeps the claim, so it is remembered, even if
 *   the API server refuses to remove its mark for hours. Default: none is.
 */
export function createEndings(
  clock: Clock,
  isNamed: (workload: ObjectKey) => boolean = () => false,
): Endings {
  const courses = new Map<string, { readonly resourceVersion: string; readonly course: Course }>();
  const endings = createMemory<Ending>(clock, () => false);
  /** UID of the last workload that ended, by name. */
  const lastOf = createMemory<string>(clock, isNamed);
  return {
    saw: (workload) => {
      const { uid, resourceVersion } = workload.metadata;
      // The workload exists again, for example after etcd was restored: its earlier end says nothing about
      // the next.
      endings.delete(uid);
      const isOrphaned = courses.get(uid)?.course === 'orphaned';
      courses.set(uid, { resourceVersion, course: isOrphaned ? 'orphaned' : courseOf(workload) });
    },
    ended: (last, window) => {
      const { uid, resourceVersion } = last.metadata;
      const before = courses.get(uid);
      courses.delete(uid);
      lastOf.set(objectKey(last), uid);
      // A deletion has a version of its own, whereas a workload that a list lacks, or that cannot be read any
      // more, is passed as it was.
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

/** Forgets what is too old and not needed whenever something is added. */
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
