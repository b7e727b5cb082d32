import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResource, KubernetesObject } from '@holdfast/core';
import { type After, systemTimer } from '@holdfast/apiserver';
import { ApiError, type ApiClient } from './api-client.ts';
import { clientOf, type Plane } from './client-of.ts';
import { startCache, type Cache, type Change, type RunningCache } from './cache.ts';
import { createSeenWrites } from './seen-writes.ts';

/*
 * The idea that all stand-ins share: a stand-in is an HTTP client of the API server, configured by a
 * kubeconfig. It keeps caches by list and watch, and looks at one key after the other until nothing is left
 * to do.
 *
 * It speaks HTTP instead of using the embedded server's storage. So the same stand-in also runs against a
 * real API server, where it can be compared with kube-controller-manager's own controller; its requests show
 * in the server's request log and meet the server's faults.
 */

/** Identifies what a controller has to look at. Each controller decides what its keys mean. */
export type Key = string;

/**
 * Looks at a key and does what has to be done now. Returns when to look at the key again, if that is known.
 */
export type Reconcile = (key: Key) => Promise<number | Deadline | undefined>;

/**
 * A number of milliseconds after which something happens unless something else happens first, such as the
 * timeout of a Job. `idle()` does not wait for a deadline, whereas it does wait for a plain number of
 * milliseconds.
 */
export interface Deadline {
  readonly deadlineIn: number;
}

/** What a controller is given when it starts. */
export interface Stage {
  /** The present time, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly client: ApiClient;
  /**
   * Keeps a cache of a kind for as long as the controller runs. Every change, including each object of the
   * first list, puts the keys that the callback returns into the queue.
   */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    keysOf: (change: Change<T>) => Iterable<Key>,
  ): Promise<Cache<T>>;
  /**
   * Returns whether the cache of a watched kind holds every write to that kind up to this resourceVersion.
   * Pass the same resource constant that was passed to `watch`.
   */
  hasSeen(resource: ApiResource<KubernetesObject>, resourceVersion: string): boolean;
}

/** A stand-in that is not started yet. */
export interface Controller {
  /** The name of its counterpart in kube-controller-manager, if there is one. */
  readonly name: string;
  /** Sets the controller up. No key is looked at before this resolves. */
  setUp(stage: Stage): Promise<Reconcile>;
}

export interface StartOptions {
  /** Milliseconds to wait before each look at a key, to simulate a slow controller. Default 0. */
  readonly delay?: number;
  /**
   * The clock for everything that happens at a certain time, such as the end of a grace period, in
   * milliseconds since the epoch. If the API server has a clock of its own, pass the same one. Default
   * Date.now.
   */
  readonly now?: () => number;
  /** Sets a timer for such a time. Default setTimeout. */
  readonly after?: After;
  /**
   * If no key is looked at for this many milliseconds while there is work to do, `idle()` rejects. Looks are
   * slow on a busy machine, but only a controller that is stuck makes none at all. Work that never ends gets
   * ten times as long. Default 20,000.
   */
  readonly patience?: number;
}

export interface RunningController {
  readonly name: string;
  /** The number of times it has looked at a key so far. */
  readonly looks: number;
  /** Stops the controller after the look in progress, if any. What it has written stays. Idempotent. */
  stop(): Promise<void>;
  /**
   * Stops looking at keys until `resume()`; changes in the meantime are not lost. Resolves when no look is in
   * progress.
   */
  pause(): Promise<void>;
  resume(): void;
  /**
   * Resolves when the controller has seen everything that the API server has, and no key is queued, waits for
   * its time (other than a {@link Deadline}) or is being looked at. Resolves at once while the controller is
   * paused or stopped.
   *
   * @throws when the controller is still busy after its `patience`, naming the work; or the error that ended
   *   the controller, if one did
   */
  idle(): Promise<void>;
}

const firstBackoff = 2;
const longestBackoff = 500;

/** `idle()` waits this many times its patience for work that keeps making progress. */
const mostPatience = 10;

/**
 * Starts a stand-in. Resolves when it has seen every object once and is working.
 *
 * If the API server answers a look's request with an error, or does not answer, the look is repeated after a
 * back-off. Any other error is a defect of the controller and ends it: `idle()` and `stop()` throw that
 * error.
 */
export async function startController(
  plane: Plane,
  controller: Controller,
  options: StartOptions = {},
): Promise<RunningController> {
  const { delay = 0, patience = 20_000, now = Date.now, after = systemTimer } = options;
  const client = clientOf(plane, controller.name);
  const caches: RunningCache<KubernetesObject>[] = [];
  const cacheOf = new Map<ApiResource<KubernetesObject>, RunningCache<KubernetesObject>>();
  const writes = createSeenWrites();
  const ready = new Set<Key>();
  const timers = new Map<Key, { cancel(): void; readonly isAwaited: boolean }>();
  const failures = new Map<Key, { readonly count: number; readonly error: unknown }>();
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let underWay: Key | undefined;
  let isPaused = false;
  let looks = 0;
  let activity = 0;
  let defect: { readonly error: unknown } | undefined;

  function stir(): void {
    activity += 1;
    for (const listener of [...listeners]) {
      listener();
    }
  }

  function nextStir(): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
    });
  }

  function enqueue(key: Key): void {
    timers.get(key)?.cancel();
    timers.delete(key);
    ready.add(key);
    stir();
  }

  function enqueueAfter(key: Key, milliseconds: number, timer: After, isAwaited = true): void {
    if (ready.has(key) || stopping.signal.aborted) {
      return;
    }
    timers.get(key)?.cancel();
    const running = timer(milliseconds, () => enqueue(key));
    timers.set(key, { cancel: () => running.cancel(), isAwaited });
  }

  async function look(reconcile: Reconcile, key: Key): Promise<void> {
    looks += 1;
    try {
      if (delay > 0) {
        await pause(delay, undefined, { signal: stopping.signal });
      }
      const again = await reconcile(key);
      failures.delete(key);
      if (typeof again === 'number') {
        enqueueAfter(key, again, after);
      } else if (again !== undefined) {
        enqueueAfter(key, again.deadlineIn, after, false);
      }
    } catch (error) {
      if (stopping.signal.aborted) {
        return;
      }
      if (!isPassing(error)) {
        throw error;
      }
      const count = (failures.get(key)?.count ?? 0) + 1;
      failures.set(key, { count, error });
      // Uses real time: an API server that is busy or down does not follow the test's clock.
      enqueueAfter(key, Math.min(firstBackoff * 2 ** (count - 1), longestBackoff), systemTimer);
    }
  }

  async function work(reconcile: Reconcile): Promise<void> {
    while (!stopping.signal.aborted) {
      const [key] = ready;
      if (key === undefined || isPaused) {
        await nextStir();
        continue;
      }
      ready.delete(key);
      underWay = key;
      try {
        await look(reconcile, key);
      } finally {
        underWay = undefined;
        stir();
      }
    }
  }

  const awaited = (): Key[] => [...timers].flatMap(([key, { isAwaited }]) => (isAwaited ? [key] : []));

  const isBusy = (): boolean => underWay !== undefined || ready.size > 0 || awaited().length > 0;

  async function untilIdle(): Promise<void> {
    for (;;) {
      if (defect !== undefined) {
        throw defect.error;
      }
      if (stopping.signal.aborted) {
        return;
      }
      if (isPaused && underWay === undefined) {
        return;
      }
      if (isPaused || isBusy()) {
        await nextStir();
        continue;
      }
      const before = activity;
      const level = await areLevel();
      if (before !== activity) {
        continue;
      }
      if (level) {
        return;
      }
      await nextStir();
    }
  }

  /** Whether the caches hold everything that was written before the call. */
  async function areLevel(): Promise<boolean> {
    try {
      const version = await client.version();
      if (writes.isComplete(version)) {
        return true;
      }
      // One after the other: over TLS, a connection for each kind costs more than the lists.
      for (const cache of caches) {
        if (!(await cache.isLevel())) {
          return false;
        }
      }
      writes.completeAt(version);
      return true;
    } catch (error) {
      if (!isPassing(error)) {
        throw error;
      }
      await pause(firstBackoff);
      stir();
      return false;
    }
  }

  function busyWith(): string {
    const keys = [...(underWay === undefined ? [] : [underWay]), ...ready, ...awaited()];
    const errors = keys.flatMap((key) => {
      const failure = failures.get(key);
      return failure === undefined ? [] : [`${key} failed ${failure.count} times: ${String(failure.error)}`];
    });
    const state =
      keys.length === 0
        ? ['its caches have not caught up with the API server']
        : [`busy with ${keys.join(', ')}`, ...(underWay === undefined ? [] : [`${underWay} is under way`])];
    const requests = client.unanswered().map((request) => `${request} has no answer`);
    return [...state, `${looks} looks so far`, ...requests, ...errors].join('; ');
  }

  let working: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    stopping.abort();
    for (const timer of timers.values()) {
      timer.cancel();
    }
    timers.clear();
    for (const cache of caches) {
      cache.stop();
    }
    stir();
    await working;
    client.close();
    if (defect !== undefined) {
      throw defect.error;
    }
  }

  try {
    const reconcile = await controller.setUp({
      client,
      now,
      async watch<T extends KubernetesObject>(
        resource: ApiResource<T>,
        keysOf: (change: Change<T>) => Iterable<Key>,
      ) {
        const cache = await startCache(
          client,
          resource,
          (change) => {
            for (const key of keysOf(change)) {
              enqueue(key);
            }
            stir();
          },
          writes.add,
        );
        caches.push(cache);
        cacheOf.set(resource, cache);
        return cache;
      },
      hasSeen: (resource, resourceVersion) => cacheOf.get(resource)?.hasSeen(resourceVersion) ?? true,
    });
    // Each cache holds everything written before its own first list, so all of them hold everything written
    // before the earliest list.
    const [earliest] = caches.map(({ since }) => since).toSorted((a, b) => Number(a) - Number(b));
    if (earliest !== undefined) {
      writes.completeAt(earliest);
    }
    working = work(reconcile).catch((error: unknown) => {
      defect = { error };
      stir();
    });
  } catch (error) {
    for (const cache of caches) {
      cache.stop();
    }
    client.close();
    throw error;
  }

  return {
    name: controller.name,
    get looks() {
      return looks;
    },
    stop: () => (stopped ??= stop()),
    async pause() {
      isPaused = true;
      while (underWay !== undefined) {
        await nextStir();
      }
    },
    resume() {
      isPaused = false;
      stir();
    },
    async idle() {
      const giveUp = new AbortController();
      const tooLong = (async () => {
        for (let [seen, times] = [-1, 0]; looks !== seen && times < mostPatience; times++) {
          seen = looks;
          await pause(patience, undefined, { signal: giveUp.signal });
        }
        throw new Error(`${controller.name} is not idle after ${patience} ms: ${busyWith()}`);
      })();
      tooLong.catch(() => undefined);
      try {
        await Promise.race([untilIdle(), tooLong]);
      } finally {
        giveUp.abort();
      }
    },
  };
}

/**
 * Resolves when all controllers are idle and none of them had work since the last one became idle. What one
 * controller writes can be work for another.
 *
 * @throws what {@link RunningController.idle} throws
 */
export async function allIdle(controllers: readonly RunningController[]): Promise<void> {
  const count = (): number => controllers.reduce((sum, { looks }) => sum + looks, 0);
  for (;;) {
    const before = count();
    for (const controller of controllers) {
      await controller.idle();
    }
    if (count() === before) {
      return;
    }
  }
}

/**
 * Whether the error might be gone at the next try: an answer of the server, or a system error such as
 * ECONNREFUSED instead of an answer.
 */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) {
    return true;
  }
  return error instanceof Error && 'code' in error && /^E(?!RR_)/.test(String(error.code));
}
