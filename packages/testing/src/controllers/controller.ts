import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResource, KubernetesObject } from '@holdfast/core';
import { type After, systemTimer } from '@holdfast/apiserver';
import { ApiError, createApiClient, type ApiClient } from './api-client.ts';
import { startCache, type Cache, type Change, type RunningCache } from './cache.ts';
import { createSeenWrites } from './seen-writes.ts';

/*
 * The one idea of all stand-ins: a client of the API server over HTTP, by a kubeconfig, that keeps caches by list and watch and
 * looks at one key after the other until nothing is left to do.
 *
 * HTTP, and not the storage of the embedded server: the same stand-in then runs against a real API server, where it can be
 * compared with kube-controller-manager's own controller, and what it does shows in the server's request log and meets its faults.
 */

/** The key of something to look at; what it says is the controller's own business. */
export type Key = string;

/** Looks at a key and does what is to be done now. Gives when to look again, if that is known. */
export type Reconcile = (key: Key) => Promise<number | Deadline | undefined>;

/**
 * Milliseconds after which something happens only if nothing else does before, such as the end of a Job that takes too long. `idle()` does not
 * wait for it, as it does for a plain number of milliseconds.
 */
export interface Deadline {
  readonly deadlineIn: number;
}

/** What a controller finds when it starts. */
export interface Stage {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly client: ApiClient;
  /** Caches a kind, for as long as the controller runs. Every change, the first list included, puts these keys in the queue. */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    keysOf: (change: Change<T>) => Iterable<Key>,
  ): Promise<Cache<T>>;
  /** Whether the cache of a watched kind, the very resource that it is watched by, holds every write to the kind up to this resourceVersion. */
  hasSeen(resource: ApiResource<KubernetesObject>, resourceVersion: string): boolean;
}

/** A stand-in before it is started. */
export interface Controller {
  /** As kube-controller-manager calls it, where it has the like. */
  readonly name: string;
  /** Nothing is looked at before it resolves. */
  setUp(stage: Stage): Promise<Reconcile>;
}

/** Where a controller runs: any of this package's control planes. */
export interface Plane {
  readonly kubeconfig: string;
}

export interface StartOptions {
  /** Milliseconds to wait before each look at a key: a slow controller. Default 0. */
  readonly delay?: number;
  /**
   * The clock of what it does at a time, such as the end of a grace period; the API server's, where that has one of its own.
   * Default Date.now. Milliseconds since the epoch.
   */
  readonly now?: () => number;
  /** Calls it back at such a time. Default setTimeout. */
  readonly after?: After;
  /**
   * Milliseconds without a look at a key, after which `idle()` rejects while there is something to do: a busy machine makes looks slow, and only a controller that stands
   * still has none. Work without an end is given ten times as long. Default 20,000.
   */
  readonly patience?: number;
}

export interface RunningController {
  readonly name: string;
  /** How often it has looked at a key so far. */
  readonly looks: number;
  /** Ends it once the look under way is over; what it has done stays. Idempotent. */
  stop(): Promise<void>;
  /** Looks at nothing more until `resume()`; what happens meanwhile is not lost. Resolves when no look is under way. */
  pause(): Promise<void>;
  resume(): void;
  /**
   * Resolves when it has seen all that the API server has, and nothing is queued, waits for its time, a {@link Deadline} apart, or is under way. At
   * once while it is paused or after it was stopped.
   *
   * @throws when it is still busy and its `patience` is over, naming with what; the error that ended the controller, if one did
   */
  idle(): Promise<void>;
}

const firstBackoff = 2;
const longestBackoff = 500;

/** How many times its patience work is waited for that goes on. */
const mostPatience = 10;

/**
 * Starts a stand-in. Resolves when it has seen everything once and works.
 *
 * A look that ends in an answer of the API server that is no success, or in none, is taken again after a back-off. Any other
 * error is a defect of the controller and ends it: `idle()` and `stop()` throw it.
 */
export async function startController(
  plane: Plane,
  controller: Controller,
  options: StartOptions = {},
): Promise<RunningController> {
  const { delay = 0, patience = 20_000, now = Date.now, after = systemTimer } = options;
  const client = createApiClient(plane.kubeconfig, `holdfast-stand-in/${controller.name}`);
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
      // An API server that was busy or away is so for a real while.
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

  /** Whether the caches hold all that was written before this was asked. */
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
    // Each cache has what was written before its own list, so all have what was written before the earliest.
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
 * Resolves when all of them are idle, and none had work since the last of them was: what one does is work for another.
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

/** Whether the error may be over at the next try: an answer of the server, or a system error such as ECONNREFUSED instead of one. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) {
    return true;
  }
  return error instanceof Error && 'code' in error && /^E(?!RR_)/.test(String(error.code));
}
