import { isOlderVersion, objectKey, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { Logger } from 'pino';
import type { ApiClient } from '../client/api-client.ts';
import { ApiError } from '../client/api-error.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { Projection } from '../wire/projection.ts';
import type { InformerMetrics } from './informer-metrics.ts';
import { runReflector } from './reflector.ts';
import { createStore, type IndexFunction, type Store } from './store.ts';

/** What a controller does on a change. An error thrown here is logged and harms no other handler. */
export interface EventHandler<T> {
  /** @param inInitialList the object existed before the informer started: nothing happened to it just now. */
  added?(object: T, inInitialList: boolean): void;
  /**
   * Same UID, newer resourceVersion; the fields that a controller reads can be the same. After the server's data were restored from a backup
   * the resourceVersion can be older or the same: then this is called for each object that is still there.
   */
  updated?(before: T, after: T): void;
  /** @param last the last state seen, which might not be the object's last one. */
  deleted?(last: T): void;
}

/** A store that follows the API server, and calls handlers for what changes. */
export interface Informer<T extends KubernetesObject> {
  readonly resource: ApiResource<T>;
  /** Of its metrics, logs and health check: the plural, with the group where the resource is optional, as in `databases.example.com`. */
  readonly name: string;
  /** See {@link InformerOptions.optional}. */
  readonly isOptional: boolean;
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
  /**
   * Resolves when each first list is in the store or has failed once: there is no more to wait for before other resources are worked on.
   * Rejects as {@link synced} does.
   */
  answered(signal: AbortSignal): Promise<void>;
  /**
   * Whether the store can be relied on to show what there is: synced, and the API server has not refused the last list or watch since. A store
   * that can't be followed keeps what it had: that the resource can't be read does not mean that its objects are gone.
   */
  isFollowing(): boolean;
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
  /**
   * The API server might not serve the resource, or might not let it be read, now or at times: that is logged once, the other resources
   * are worked on, and this one is taken up within a minute after it is there. Default false: nothing is worked on without it.
   */
  readonly optional?: boolean;
  readonly clock?: Clock;
}

/**
 * An informer for one resource.
 *
 * An object that was deleted and created again under its name is `deleted` and then `added`, even when the watch skipped the
 * deletion: the UIDs differ. Handlers are called when the store is already in the new state.
 */
export function createInformer<T extends KubernetesObject>(options: InformerOptions<T>): Informer<T> {
  const { resource, logger, metrics, optional: isOptional = false, clock = systemClock } = options;
  const name = isOptional ? [resource.plural, resource.group].filter(Boolean).join('.') : resource.plural;
  const store = createStore(options.indexes);
  const handlers: EventHandler<T>[] = [];
  const waitingForSync = new Set<() => void>();
  const waitingForAnswer = new Set<() => void>();
  const scopes: readonly (string | undefined)[] = options.namespaces?.length
    ? options.namespaces
    : [undefined];
  const unsynced = new Set(scopes);
  const unanswered = new Set(scopes);
  /** The status code by which the API server refused the last list or watch, by scope. */
  const refusals = new Map<string | undefined, number>();
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
        logger.error({ err: error, resource: name }, 'Event handler failed');
      }
    }
  };

  const waitFor = (waiting: Set<() => void>, isSo: () => boolean, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isSo()) {
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
    });

  const wakeAll = (waiting: Set<() => void>): void => {
    for (const wake of waiting) {
      wake();
    }
    waiting.clear();
  };

  const answered = (namespace: string | undefined): void => {
    if (unanswered.delete(namespace) && unanswered.size === 0) {
      wakeAll(waitingForAnswer);
    }
  };

  const heard = (namespace: string | undefined): void => {
    lastHeard.set(namespace, clock.now());
    if (refusals.delete(namespace) && isOptional) {
      logger.info({ resource: name, ...scopeOf(namespace) }, 'Optional resource can be read');
    }
  };

  const failed = (namespace: string | undefined, error: unknown, delay: number): void => {
    metrics.failed(name);
    const fields = { err: error, resource: name, ...scopeOf(namespace), retryInMs: Math.round(delay) };
    const code = refusalOf(error);
    const isKnown = refusals.get(namespace) === code;
    if (code !== undefined) {
      refusals.set(namespace, code);
    }
    if (!isOptional || code === undefined) {
      logger.warn(fields, 'Watch failed');
    } else if (isKnown) {
      logger.debug(fields, 'Watch failed');
    } else {
      logger.warn(fields, 'Optional resource can not be read, the others are worked on');
    }
    answered(namespace);
  };

  const remove = (last: T): void => {
    store.delete(objectKey(last));
    callHandlers((handler) => handler.deleted?.(last));
  };

  /** @param isRestored the same version does not mean the same state. */
  const put = (object: T, inInitialList: boolean, isRestored = false): void => {
    const before = store.get(objectKey(object));
    if (before !== undefined && before.metadata.uid === object.metadata.uid) {
      if (!isRestored && before.metadata.resourceVersion === object.metadata.resourceVersion) {
        return;
      }
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
          replace: (objects, isRestored) => {
            const kept = new Set(objects.map(objectKey));
            for (const object of [...store.values()]) {
              const inScope = namespace === undefined || object.metadata.namespace === namespace;
              if (inScope && !kept.has(objectKey(object))) {
                remove(object);
              }
            }
            const inInitialList = unsynced.has(namespace);
            for (const object of objects) {
              put(object, inInitialList, isRestored);
            }
            unsynced.delete(namespace);
            if (!isSynced && unsynced.size === 0) {
              isSynced = true;
              wakeAll(waitingForSync);
            }
            answered(namespace);
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
          heard: () => heard(namespace),
          listed: (count) => {
            metrics.listed(name);
            logger.debug({ resource: name, count }, 'Listed');
          },
          watchStarted: () => metrics.watchStarted(name),
          skipped: (problem) => {
            metrics.skipped(name);
            logger.error(
              { err: problem, resource: name, key: problem.key },
              'Object left out: it cannot be read',
            );
          },
          failed: (error, delay) => failed(namespace, error, delay),
        },
      },
      signal,
    );

  return {
    resource,
    name,
    isOptional,
    store,
    addHandler: (handler) => {
      if (running) {
        throw new Error(`the informer of ${name} runs already; add handlers before`);
      }
      handlers.push(handler);
    },
    holdHandlers: () => {
      if (running) {
        throw new Error(`the informer of ${name} runs already; hold its handlers before`);
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
    synced: (signal) => waitFor(waitingForSync, () => isSynced, signal),
    answered: (signal) => waitFor(waitingForAnswer, () => unanswered.size === 0, signal),
    isFollowing: () => isSynced && refusals.size === 0,
    run: async (signal) => {
      running = true;
      const started = clock.now();
      metrics.follow(name, () => {
        const oldest = Math.min(...scopes.map((namespace) => lastHeard.get(namespace) ?? started));
        return clock.now() - oldest;
      });
      await Promise.all(scopes.map((namespace) => follow(namespace, signal)));
    },
  };
}

function scopeOf(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

/** The status code of the API server's refusal; undefined for all other errors, and for a version that is too old, as each is one day. */
function refusalOf(error: unknown): number | undefined {
  return error instanceof ApiError && error.code !== 410 ? error.code : undefined;
}
