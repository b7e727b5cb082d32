import { backoffDelay } from '../time/backoff.ts';
import type { Clock, ClockTimer } from '../time/clock.ts';
import { createGroupedLane, createLane, type Lane, type Portion } from './lane.ts';
import { createReadyKeys, type Priority } from './ready-keys.ts';
import { createRetryLine } from './retry-line.ts';
import type { WorkQueueMetrics } from './work-queue-metrics.ts';

/** How a work queue hands out its keys. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly metrics: WorkQueueMetrics;
  /**
   * Groups take turns, and keys of one group are handed out together. Default: no groups, and one key at a
   * time.
   */
  readonly groupOf?: (key: string) => string;
  /** The most keys in a batch, if keys have groups. Default: 500. */
  readonly batchSize?: number;
  /**
   * Whether a batch has keys of all groups, one of each in turn. Default: false, a batch has keys of one
   * group.
   */
  readonly mixedBatches?: boolean;
  /** First delay of a key that failed, in milliseconds. Default: 5, client-go's figure. */
  readonly baseDelay?: number;
  /** Longest delay of a key that failed, in milliseconds. Default: 1000000, client-go's figure. */
  readonly maxDelay?: number;
}

/**
 * A queue of keys with client-go's contract. Holdfast has its own because no package provides it: p-queue and
 * similar packages queue functions, and neither drop a key that is already queued nor hold back one that is
 * being worked on.
 *
 * Guarantees: a queued key is not queued twice. A key that is being worked on is not handed out again before
 * `done`; if it was added meanwhile, it is handed out once more afterwards. Keys come in the order in which
 * they were added (groups in the order of their first key). The queue stores nothing about a key that is
 * neither queued, worked on, delayed nor failing.
 */
export interface WorkQueue {
  add(key: string, priority?: Priority): void;
  /** Adds the key after this many milliseconds; of several such calls for one key the earliest counts. */
  addAfter(key: string, delay: number, priority?: Priority): void;
  /**
   * Adds the key after a delay that grows exponentially with its failures. All keys together are limited to
   * ten a second, and a hundred at once after a pause. Beyond that, groups take turns, and so do the keys of a group
   * that failed for different reasons.
   *
   * @param longest limits the growth of the delay, in milliseconds; default: `maxDelay`. The limit on all
   *   keys applies anyway.
   * @param why the reason, as a text that keys which failed alike have in common. There must be few such texts.
   *   Default: none.
   */
  addRateLimited(key: string, longest?: number, why?: string): void;
  /** Resets the count of the key's failures. */
  forget(key: string): void;
  /** Returns how often {@link addRateLimited} was called since the key was forgotten. */
  failures(key: string): number;
  /**
   * Resolves with the next batch, which is never empty; undefined if the queue is shut down and empty. Its keys
   * are of one group, unless batches are mixed.
   */
  take(): Promise<readonly string[] | undefined>;
  /** Hands out no more keys of the group until it is released. They are still queued. */
  hold(group: string): void;
  /** Puts the group back in line, behind the others. */
  release(group: string): void;
  /** Returns a key to the queue. It must be called for every key that was taken, whatever the result. */
  done(key: string): void;
  /** The number of keys that are ready to be taken. */
  readonly length: number;
  /**
   * Accepts no more keys and drops the delayed ones. Ready keys are dropped too, unless the queue is to be
   * drained.
   */
  shutDown(options?: { readonly drain: boolean }): void;
}

/** Creates an empty queue. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, metrics, groupOf, batchSize = 500, mixedBatches = false } = options;
  const { baseDelay = 5, maxDelay = 1_000_000 } = options;
  const newLane = (portion: Portion): Lane =>
    groupOf === undefined ? createLane() : createGroupedLane(groupOf, portion);
  const ready = createReadyKeys(() => newLane({ kind: mixedBatches ? 'mixed' : 'group', size: batchSize }));
  const processing = new Map<string, { readonly since: number; again: Priority | undefined }>();
  const added = new Map<string, number>();
  const delayed = new Map<string, { readonly due: number; readonly timer: ClockTimer }>();
  const failed = new Map<string, number>();
  const takers: ((batch: readonly string[] | undefined) => void)[] = [];
  let isShutDown = false;
  let isDropped = false;

  const serve = (): void => {
    while (takers.length > 0) {
      const batch = nextBatch();
      if (batch.length === 0) {
        break;
      }
      takers.shift()?.(batch);
    }
    if (isShutDown && ready.size === 0) {
      for (const taker of takers.splice(0)) {
        taker(undefined);
      }
    }
  };

  /** @returns an empty batch if no key can be handed out. */
  const nextBatch = (): readonly string[] => {
    const batch = ready.take();
    if (batch.length === 0) {
      return batch;
    }
    const now = clock.now();
    for (const key of batch) {
      processing.set(key, { since: now, again: undefined });
      metrics.waited(now - (added.get(key) ?? now));
      added.delete(key);
    }
    metrics.depth(ready.size);
    return batch;
  };

  const makeReady = (key: string, priority: Priority): void => {
    if (ready.add(key, priority)) {
      added.set(key, clock.now());
      metrics.added();
      metrics.depth(ready.size);
    }
  };

  const add = (key: string, priority: Priority = 'event'): void => {
    if (isShutDown) {
      return;
    }
    const current = processing.get(key);
    if (current !== undefined) {
      current.again = current.again === 'event' ? 'event' : priority;
      return;
    }
    makeReady(key, priority);
    serve();
  };

  const retries = createRetryLine({
    clock,
    groupOf: groupOf ?? (() => ''),
    comeBack: (key) => {
      delayed.get(key)?.timer.cancel();
      delayed.delete(key);
      add(key);
    },
  });

  const addAfter = (key: string, delay: number, priority: Priority = 'event'): void => {
    if (isShutDown) {
      return;
    }
    if (delay <= 0) {
      add(key, priority);
      return;
    }
    const due = clock.now() + delay;
    const earlier = delayed.get(key);
    if (earlier !== undefined && earlier.due <= due) {
      return;
    }
    earlier?.timer.cancel();
    const timer = clock.after(delay, () => {
      delayed.delete(key);
      retries.delete(key);
      add(key, priority);
    });
    delayed.set(key, { due, timer });
  };

  metrics.observe(() => {
    const now = clock.now();
    return Array.from(processing.values(), ({ since }) => now - since);
  });

  return {
    add,
    addAfter,
    addRateLimited: (key, longest = maxDelay, why = '') => {
      const failures = failed.get(key) ?? 0;
      failed.set(key, failures + 1);
      metrics.retried();
      if (!isShutDown) {
        const delay = Math.min(longest, backoffDelay(failures, { initial: baseDelay, max: maxDelay }));
        retries.add(key, delay, why);
      }
    },
    forget: (key) => {
      failed.delete(key);
    },
    failures: (key) => failed.get(key) ?? 0,
    take: () =>
      new Promise((resolve) => {
        takers.push(resolve);
        serve();
      }),
    hold: ready.hold,
    release: (group) => {
      ready.release(group);
      serve();
    },
    done: (key) => {
      const current = processing.get(key);
      if (current === undefined) {
        throw new Error(`key "${key}" was given back but not taken`);
      }
      processing.delete(key);
      metrics.worked(clock.now() - current.since);
      if (current.again !== undefined && !isDropped) {
        makeReady(key, current.again);
        serve();
      }
    },
    get length() {
      return ready.size;
    },
    shutDown: ({ drain } = { drain: false }) => {
      isShutDown = true;
      for (const { timer } of delayed.values()) {
        timer.cancel();
      }
      delayed.clear();
      retries.clear();
      if (!drain) {
        isDropped = true;
        ready.clear();
        added.clear();
        metrics.depth(0);
      }
      serve();
    },
  };
}
