import { isOlderVersion, objectKey, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { Logger } from 'pino';
import type { ApiClient } from '../client/api-client.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { Projection } from '../wire/projection.ts';
import type { InformerMetrics } from './informer-metrics.ts';
import { runReflector } from './reflector.ts';
import { createStore, type IndexFunction, type Store } from './store.ts';

/** What a controller does on a change. An error thrown here is logged and harms no other handler. */
export interface EventHandler<T> {
  /** @param inInitialList the object existed before the informer started: nothing happened to it just now. */
  added?(object: T, inInitialList: boolean): void;
  /** Same UID, newer resourceVersion; the fields that a controller reads can be the same. */
  updated?(before: T, after: T): void;
  /** @param last the last state seen, which might not be the object's last one. */
  deleted?(last: T): void;
}

/** A store that follows the API server, and calls handlers for what changes. */
export interface Informer<T extends KubernetesObject> {
  readonly resource: ApiResource<T>;
  readonly store: Store<T>;
  /** Must be called before `run`, so that no handler misses what another saw. */
  addHandler(handler: EventHandler<T>): void;
  /**
   * From now on the store follows, but handlers hear nothing until {@link Informer.startHandlers}: a standby's queue would fill with keys
   * that nobody takes. Must be called before `run`.
   */
  holdHandlers(): void;
  /**
   * Ends {@link Informer.holdHandlers}: handlers hear of each object in the store as `added` in the initial list, once, and then of what
   * changes. Without effect when they are not held.
   */
  startHandlers(): void;
  /** The first list is in the store and its handlers have been called. */
  hasSynced(): boolean;
  /** Resolves when {@link hasSynced} becomes true; rejects with the signal's reason when aborted before. */
  synced(signal: AbortSignal): Promise<void>;
  /** Follows until aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export interface InformerOptions<T extends KubernetesObject> {
  readonly client: ApiClient;
  readonly resource: ApiResource<T>;
  readonly logger: Logger;
  readonly metrics: InformerMetrics;
  /** Only what is in these namespaces, each with a watch of its own. Default, and when empty: all namespaces, one watch. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** The fields of each object that the controller reads, see `createProjection`. Default: all. */
  readonly projection?: Projection<T>;
  /**
   * Changes each object as it comes, after the projection, for what a choice of fields cannot express; name, namespace, uid and
   * resourceVersion must stay.
   */
  readonly transform?: (object: T) => T;
  readonly clock?: Clock;
}

/**
 * An informer for one resource.
 *
 * An object that was deleted and created again under its name is `deleted` and then `added`, even when the watch skipped the
 * deletion: the UIDs differ. Handlers are called when the store is already in the new state.
 */
export function createInformer<T extends KubernetesObject>(options: InformerOptions<T>): Informer<T> {
  const { resource, logger, metrics, clock = systemClock } = options;
  const store = createStore(options.indexes);
  const handlers: EventHandler<T>[] = [];
  const waiting = new Set<() => void>();
  const scopes: readonly (string | undefined)[] = options.namespaces?.length
    ? options.namespaces
    : [undefined];
  const unsynced = new Set(scopes);
  /** By scope. */
  const lastHeard = new Map<string | undefined, number>();
  let isSynced = false;
  let running = false;
  let isHeld = false;

  const callHandlers = (call: (handler: EventHandler<T>) => void): void => {
    if (isHeld) {
      return;
    }
    for (const handler of handlers) {
      try {
        call(handler);
      } catch (error) {
        logger.error({ err: error, resource: resource.plural }, 'Event handler failed');
      }
    }
  };

  const remove = (last: T): void => {
    store.delete(objectKey(last));
    callHandlers((handler) => handler.deleted?.(last));
  };

  const put = (object: T, inInitialList: boolean): void => {
    const before = store.get(objectKey(object));
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) {
      return;
    }
    if (before !== undefined && before.metadata.uid === object.metadata.uid) {
      store.set(object);
      callHandlers((handler) => handler.updated?.(before, object));
      return;
    }
    if (before !== undefined) {
      remove(before);
    }
    store.set(object);
    callHandlers((handler) => handler.added?.(object, inInitialList));
  };

  const follow = (namespace: string | undefined, signal: AbortSignal): Promise<void> =>
    runReflector(
      {
        client: options.client,
        resource,
        clock,
        ...(options.projection === undefined ? {} : { projection: options.projection }),
        ...(options.transform === undefined ? {} : { transform: options.transform }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
        ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
        sink: {
          replace: (objects) => {
            const kept = new Set(objects.map(objectKey));
            for (const object of [...store.values()]) {
              const inScope = namespace === undefined || object.metadata.namespace === namespace;
              if (inScope && !kept.has(objectKey(object))) {
                remove(object);
              }
            }
            const inInitialList = unsynced.has(namespace);
            for (const object of objects) {
              put(object, inInitialList);
            }
            unsynced.delete(namespace);
            if (!isSynced && unsynced.size === 0) {
              isSynced = true;
              for (const wake of waiting) {
                wake();
              }
              waiting.clear();
            }
          },
          leaveOut: (key) => {
            const known = store.get(key);
            if (known !== undefined) {
              remove(known);
            }
          },
          apply: (event) => {
            const known = store.get(objectKey(event.object));
            if (event.type === 'DELETED') {
              // An object created under the name since then is not the one that was deleted.
              if (known?.metadata.uid === event.object.metadata.uid) {
                remove(event.object);
              }
            } else if (
              known === undefined ||
              !isOlderVersion(event.object.metadata.resourceVersion, known.metadata.resourceVersion)
            ) {
              // A stale API server, or a proxy that repeats events, must not take the store back in time. A list may do so:
              // a cluster restored from a backup continues with an older version.
              put(event.object, false);
            }
          },
        },
        observer: {
          heard: () => lastHeard.set(namespace, clock.now()),
          listed: (count) => {
            metrics.listed(resource.plural);
            logger.debug({ resource: resource.plural, count }, 'Listed');
          },
          watchStarted: () => metrics.watchStarted(resource.plural),
          skipped: (problem) => {
            metrics.skipped(resource.plural);
            logger.error(
              { err: problem, resource: resource.plural, key: problem.key },
              'Object left out: it cannot be read',
            );
          },
          failed: (error, delay) => {
            metrics.failed(resource.plural);
            logger.warn(
              { err: error, resource: resource.plural, retryInMs: Math.round(delay) },
              'Watch failed',
            );
          },
        },
      },
      signal,
    );

  return {
    resource,
    store,
    addHandler: (handler) => {
      if (running) {
        throw new Error(`the informer of ${resource.plural} runs already; add handlers before`);
      }
      handlers.push(handler);
    },
    holdHandlers: () => {
      if (running) {
        throw new Error(`the informer of ${resource.plural} runs already; hold its handlers before`);
      }
      isHeld = true;
    },
    startHandlers: () => {
      if (!isHeld) {
        return;
      }
      isHeld = false;
      for (const object of store.values()) {
        callHandlers((handler) => handler.added?.(object, true));
      }
    },
    hasSynced: () => isSynced,
    synced: (signal) =>
      new Promise((resolve, reject) => {
        if (isSynced) {
          resolve();
          return;
        }
        const wake = (): void => {
          signal.removeEventListener('abort', abort);
          resolve();
        };
        const abort = (): void => {
          waiting.delete(wake);
          reject(signal.reason as Error);
        };
        if (signal.aborted) {
          abort();
          return;
        }
        waiting.add(wake);
        signal.addEventListener('abort', abort, { once: true });
      }),
    run: async (signal) => {
      running = true;
      const started = clock.now();
      metrics.follow(resource.plural, () => {
        const oldest = Math.min(...scopes.map((namespace) => lastHeard.get(namespace) ?? started));
        return clock.now() - oldest;
      });
      await Promise.all(scopes.map((namespace) => follow(namespace, signal)));
    },
  };
}
