import { objectKey, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { Scope } from '../cache/informer.ts';
import type { IndexFunction } from '../cache/store.ts';
import type { ApiClient } from '../client/api-client.ts';
import { TerminalError, type Controller } from '../controller/controller.ts';
import type { RuntimeConfig } from '../flags/runtime-flags.ts';
import { watchOptions, type AppBatchControllerOptions, type WatchedOptions } from '../process/app.ts';
import type { ProgramApp } from '../process/run-app.ts';
import type { Runnable } from '../process/runnable.ts';
import type { Watched } from '../process/watched.ts';
import type { Projection } from '../wire/projection.ts';

/**
 * An app observed from outside: whether it has begun, what it is busy with, and whether its caches are
 * current.
 */
export interface Observation {
  /**
   * Returns what controllers wait for before they work: caches without their first list, or the lease. Empty:
   * they work.
   */
  waitingFor(): readonly string[];
  /**
   * Returns what the app is busy with, each in a few words. A key that waits for a delay that the app
   * requested is idle.
   */
  busyWith(): readonly string[];
  /** Returns the caches that differ from what the API server has now. */
  behind(): Promise<readonly string[]>;
}

export interface ObservedApp<Config extends RuntimeConfig> {
  readonly app: ProgramApp<Config>;
  readonly observation: Observation;
}

export interface ObserveOptions {
  /** Reads what the API server has. */
  readonly admin: ApiClient;
  /** Whether time stands still. Then keys that wait for a retry count as idle. */
  readonly isStill: boolean;
  readonly stirred: () => void;
  /** When aborted, work under way is given up, whether it ends or not. */
  readonly giveUp: AbortSignal;
}

/** Wraps an app so that its watches, controllers and runnables can be observed. */
export function observe<Config extends RuntimeConfig>(
  app: ProgramApp<Config>,
  { admin, isStill, stirred, giveUp }: ObserveOptions,
): ObservedApp<Config> {
  const caches: Cache[] = [];
  const queues: { readonly name: string; readonly queue: Controller['queue'] }[] = [];
  const underWay = new Set<string>();
  /** The keys that wait for a retry, and why. */
  const retrying = new Map<string, string>();

  const watch = <T extends KubernetesObject, Index extends string>(
    resource: ApiResource<T>,
    how?: Projection<T> | WatchedOptions<T>,
    indexes?: Readonly<Record<Index, IndexFunction<T> | undefined>>,
    given?: WatchedOptions<T>,
  ): Watched<T, Index> => {
    const { projection, ...options } = watchOptions(how, given);
    const watched: Watched<T, Index> =
      projection === undefined
        ? app.watch(resource, options)
        : app.watch(resource, projection, indexes, options);
    if (options.when !== false) {
      caches.push(observeCache({ admin, resource, projection, watched, options, stirred }));
    }
    return watched;
  };

  const controller = <Batch>(options: AppBatchControllerOptions<Batch>): Controller => {
    const name = options.name ?? app.name;
    const { around = (run: Controller['run']) => run } = options;
    const created = app.controller({
      ...options,
      around: (run: Controller['run']): Controller['run'] => {
        const ownRun = around(run);
        return (stop, abandon) => orGivenUp(giveUp, ownRun(stop, abandon));
      },
      reconcile: async (key, batch, signal) => {
        const work = `${name}: reconcile of ${key}`;
        const fail = (error: unknown): void => {
          if (!(error instanceof TerminalError)) {
            retrying.set(work, `failed: ${String(error)}`);
          }
        };
        retrying.delete(work);
        underWay.add(work);
        try {
          const result = await unlessGivenUp(giveUp, options.reconcile(key, batch, signal));
          if (result.kind === 'lookAgain') {
            retrying.set(work, `looks again: ${result.reason}`);
          } else if (result.kind === 'failed') {
            fail(result.error);
          }
          return result;
        } catch (error) {
          fail(error);
          throw error;
        } finally {
          underWay.delete(work);
          stirred();
        }
      },
    });
    queues.push({ name, queue: created.queue });
    return created;
  };

  const run = (runnable: Runnable): void =>
    app.run({
      ...runnable,
      run: (stop, abandon) => orGivenUp(giveUp, runnable.run(stop, abandon)),
    });

  return {
    app: { ...app, watch, controller, run },
    observation: {
      waitingFor: () => caches.flatMap((cache) => cache.waitingFor()),
      busyWith: () => [
        ...[...underWay].map((work) => `${work} is under way`),
        ...queues
          .filter(({ queue }) => queue.length > 0)
          .map(({ name, queue }) => `${name}: ${queue.length} keys are queued`),
        ...(isStill ? [] : [...retrying].map(([work, why]) => `${work} ${why}`)),
      ],
      behind: async () => (await Promise.all(caches.map((cache) => cache.behind()))).flat(),
    },
  };
}

interface Cache {
  waitingFor(): readonly string[];
  behind(): Promise<readonly string[]>;
}

interface CacheOptions<T extends KubernetesObject, Index extends string> {
  readonly admin: ApiClient;
  readonly resource: ApiResource<T>;
  readonly projection: Projection<T> | undefined;
  readonly watched: Watched<T, Index>;
  readonly options: WatchedOptions<T>;
  readonly stirred: () => void;
}

function observeCache<T extends KubernetesObject, Index extends string>({
  admin,
  resource,
  projection,
  watched,
  options: { labelSelector, fieldSelector },
  stirred,
}: CacheOptions<T, Index>): Cache {
  const { name, scopes, store } = watched;
  const pending = new Set<Scope>(scopes);
  watched.addHandler({
    added: stirred,
    updated: stirred,
    deleted: stirred,
    leftOut: stirred,
    started: (scope) => {
      pending.delete(scope);
      stirred();
    },
  });

  const isLevel = async (scope: Scope): Promise<boolean> => {
    const { items } = await admin.list(resource, {
      ...(scope === undefined ? {} : { namespace: scope }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(projection === undefined ? {} : { projection }),
      onUnreadable: () => undefined,
    });
    const known = [...store.values()].filter(
      ({ metadata }) => scope === undefined || metadata.namespace === scope,
    );
    return (
      known.length === items.length &&
      items.every(
        (item) => store.get(objectKey(item))?.metadata.resourceVersion === item.metadata.resourceVersion,
      )
    );
  };

  const behind = async (scope: Scope): Promise<readonly string[]> => {
    const place = placeOf(name, scope);
    if (watched.isOptional && !watched.isFollowing(scope)) {
      return [];
    }
    try {
      return (await isLevel(scope)) ? [] : [`the cache of ${place} is behind the API server`];
    } catch (error) {
      return [`the cache of ${place} can't be compared with the API server: ${String(error)}`];
    }
  };

  return {
    waitingFor: () =>
      [...pending].map((scope) =>
        watched.hasSynced(scope)
          ? `the cache of ${placeOf(name, scope)} is full, others or the lease are waited for`
          : `the cache of ${placeOf(name, scope)} is not full`,
      ),
    behind: async () => (await Promise.all(scopes.map(behind))).flat(),
  };
}

function placeOf(name: string, scope: Scope): string {
  return scope === undefined ? name : `${name} in namespace ${scope}`;
}

/** Resolves with the promise, or when it is given up. */
async function orGivenUp(giveUp: AbortSignal, promise: Promise<void>): Promise<void> {
  await unlessGivenUp(giveUp, promise).catch((error: unknown) => {
    if (!giveUp.aborted) {
      throw error;
    }
  });
}

/**
 * Settles as the promise does, unless it is given up first: then the promise is ignored.
 *
 * @throws the signal's reason.
 */
function unlessGivenUp<T>(giveUp: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(giveUp.reason as Error);
    giveUp.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => giveUp.removeEventListener('abort', abort));
  });
}
