import {
  isOlderVersion,
  objectKey,
  type ApiResource,
  type KubernetesObject,
  type ObjectKey,
} from '@holdfast/core';
import type { Logger } from 'pino';
import type { ApiClient } from '../client/api-client.ts';
import { ApiError } from '../client/api-error.ts';
import { sleep, systemClock, type Clock } from '../time/clock.ts';
import type { Projection } from '../wire/projection.ts';
import { UnreadableObject } from '../wire/unreadable-object.ts';
import type { InformerMetrics } from './informer-metrics.ts';
import { createLeftOutLog } from './left-out-log.ts';
import { runReflector } from './reflector.ts';
import { createStore, type IndexFunction, type Store } from './store.ts';

/** What a controller does on a change. An error thrown here is logged and harms no other handler. */
export interface EventHandler<T> {
  /** @param inInitialList the object existed before the informer, or its held handlers, started: nothing happened to it just now. */
  added?(object: T, inInitialList: boolean): void;
  /**
   * Same UID, newer resourceVersion; the fields that a controller reads can be the same. After the server's data were restored from a backup
   * the resourceVersion can be older or the same: then this is called for each object that is still there.
   */
  updated?(before: T, after: T): void;
  /** @param last the last state seen, which might not be the object's last one. */
  deleted?(last: T): void;
  /**
   * The watch brought a state of the object that can't be read, or its deletion in such a state; `deleted` was called before if the store had it.
   * For whoever waits for it to be mended, or gone: mended, it is `added`. What a list leaves out it might not be called for.
   */
  leftOut?(key: ObjectKey): void;
  /**
   * Handlers that were held have been started for the scope, and have been called for each of its objects: see
   * {@link Informer.startHandlers}.
   */
  started?(scope: Scope): void;
}

/** What is listed and watched by itself: a namespace, or, as undefined, the whole cluster. */
export type Scope = string | undefined;

/** A store that follows the API server, and calls handlers for what changes. */
export interface Informer<T extends KubernetesObject> {
  readonly resource: ApiResource<T>;
  /** Of its metrics, logs and health check: the plural, with the group where the resource is optional, as in `databases.example.com`. */
  readonly name: string;
  /** See {@link InformerOptions.optional}. */
  readonly isOptional: boolean;
  /** Its namespaces; the whole cluster alone when it follows all of them. */
  readonly scopes: readonly Scope[];
  readonly store: Store<T>;
  /** Must be called before `run`, so that no handler misses what another saw. */
  addHandler(handler: EventHandler<T>): void;
  /**
   * From now on the store follows, but handlers hear nothing until {@link Informer.startHandlers}: a standby's queue would fill with keys
   * that nobody takes, and a key must not be worked on before all that its decision reads is in the caches. Must be called before `run`.
   */
  holdHandlers(): void;
  /**
   * Ends {@link Informer.holdHandlers} for one of the scopes: handlers hear of each of its objects in the store as `added` in the initial
   * list, once, and then of what changes there. Without effect where they are not held.
   *
   * @param scope default: all.
   */
  startHandlers(scope?: Scope): void;
  /**
   * The first list is in the store and its handlers, unless they are held, have been called.
   *
   * @param namespace asks for its objects alone; false for one that is not followed. Default: of all scopes.
   */
  hasSynced(namespace?: string): boolean;
  /** Resolves when {@link hasSynced} becomes true; rejects with the signal's reason when aborted before. */
  synced(signal: AbortSignal, namespace?: string): Promise<void>;
  /**
   * Resolves when the first list is in the store or has failed once, or, of an optional resource, has taken 5 s: there is no more to wait for
   * before other resources are worked on. Rejects as {@link synced} does.
   *
   * @param namespace as in {@link hasSynced}.
   */
  answered(signal: AbortSignal, namespace?: string): Promise<void>;
  /**
   * Whether the store can be relied on to show what there is: synced, and the API server has not refused the last list or watch since. A store
   * that can't be followed keeps what it had: that the resource can't be read does not mean that its objects are gone.
   *
   * @param namespace as in {@link hasSynced}.
   */
  isFollowing(namespace?: string): boolean;
  /** Follows until aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** What an informer follows, and what it keeps of it. */
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
   * are worked on, and this one is taken up within a minute after it is there. One that does not answer is worked without after 5 s. Default false: nothing is worked on without it.
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
  const store = createStore<T>({
    ...options.indexes,
    ...(options.namespaces?.length ? { [byNamespace]: namespaceOf } : {}),
  });
  const handlers: EventHandler<T>[] = [];
  const scopes: readonly Scope[] = options.namespaces?.length ? options.namespaces : [undefined];
  const known: ReadonlySet<Scope> = new Set(scopes);
  const unsynced = new Set(scopes);
  const unanswered = new Set(scopes);
  const held = new Set<Scope>();
  /** By what is waited for. */
  const waiting = new Map<() => void, () => boolean>();
  /** The status code by which the API server refused the last list or watch. */
  const refusals = new Map<Scope, number>();
  /** Optional, and worked without before their first list had come or failed. */
  const overdue = new Set<Scope>();
  const lastHeard = new Map<Scope, number>();
  const leftOutLog = createLeftOutLog(clock);
  let running = false;

  /** Whether none of these scopes is the one that has the namespace; without a namespace, whether there is none of them. */
  const isNoneOf = (
    pending: Pick<ReadonlyMap<Scope, unknown>, 'has' | 'size'>,
    namespace: string | undefined,
  ): boolean => {
    if (namespace === undefined) {
      return pending.size === 0;
    }
    const scope = known.has(undefined) ? undefined : namespace;
    return known.has(scope) && !pending.has(scope);
  };

  const callHandlers = (scope: Scope, call: (handler: EventHandler<T>) => void): void => {
    if (held.has(scope)) {
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

  const waitUntil = (isSo: () => boolean, signal: AbortSignal): Promise<void> =>
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
      waiting.set(wake, isSo);
      signal.addEventListener('abort', abort, { once: true });
    });

  const wakeWaiting = (): void => {
    for (const [wake, isSo] of [...waiting]) {
      if (isSo()) {
        waiting.delete(wake);
        wake();
      }
    }
  };

  const answered = (scope: Scope): void => {
    unanswered.delete(scope);
    wakeWaiting();
  };

  const heard = (scope: Scope): void => {
    lastHeard.set(scope, clock.now());
    const wasLeftOut = isLeftOut(scope) && !unanswered.has(scope);
    const wasOverdue = overdue.delete(scope);
    if ((refusals.delete(scope) || wasOverdue) && isOptional) {
      logger.info({ resource: name, ...scopeOf(scope) }, 'Optional resource can be read');
    } else if (wasLeftOut) {
      logger.info({ resource: name, ...scopeOf(scope) }, 'Resource can be read in the namespace');
    }
  };

  /** Nothing is done in the namespace before its first list; other namespaces are worked on. */
  const isLeftOut = (scope: Scope): boolean => !isOptional && scopes.length > 1 && unsynced.has(scope);

  const failed = (scope: Scope, error: unknown, delay: number): void => {
    metrics.failed(name);
    const fields = { err: error, resource: name, ...scopeOf(scope), retryInMs: Math.round(delay) };
    const code = refusalOf(error);
    const isKnown = refusals.get(scope) === code;
    if (code !== undefined) {
      refusals.set(scope, code);
    }
    if (isLeftOut(scope)) {
      logger.warn(fields, 'Namespace is not worked on: a resource can not be read there');
    } else if (!isOptional || code === undefined) {
      logger.warn(fields, 'Watch failed');
    } else if (isKnown) {
      logger.debug(fields, 'Watch failed');
    } else {
      logger.warn(fields, 'Optional resource can not be read, the others are worked on');
    }
    answered(scope);
  };

  /** A server that hangs, or asks again and again for patience, must not hold up the other resources any more than one that refuses. */
  const waitBriefly = async (scope: Scope, signal: AbortSignal): Promise<void> => {
    await sleep(clock, optionalPatience, signal);
    if (unanswered.has(scope)) {
      overdue.add(scope);
      logger.warn(
        { resource: name, ...scopeOf(scope), waitedMs: optionalPatience },
        'Optional resource does not answer, the others are worked on',
      );
      answered(scope);
    }
  };

  /** Of thousands of namespaces each is listed by itself: what the others have is not looked through each time. */
  const objectsIn = (scope: Scope): readonly T[] =>
    scope === undefined ? [...store.values()] : store.byIndex(byNamespace, scope);

  const remove = (last: T, scope: Scope): void => {
    store.delete(objectKey(last));
    callHandlers(scope, (handler) => handler.deleted?.(last));
  };

  const skipped = (problem: UnreadableObject): void => {
    metrics.skipped(name);
    const fields = { err: problem, resource: name, key: problem.key };
    const message = 'Object left out: it cannot be read';
    if (leftOutLog.isNews(problem)) {
      logger.error(fields, message);
    } else {
      logger.debug(fields, message);
    }
  };

  const leaveOut = (key: ObjectKey, scope: Scope): void => {
    const known = store.get(key);
    if (known !== undefined) {
      remove(known, scope);
    }
    callHandlers(scope, (handler) => handler.leftOut?.(key));
  };

  /** @returns false for an object that an index can't read, which is left out like any other that can't be read. */
  const stores = (object: T, scope: Scope): boolean => {
    try {
      store.set(object);
      leftOutLog.forget(objectKey(object));
      return true;
    } catch (error) {
      skipped(new UnreadableObject(object.metadata, error));
      leaveOut(objectKey(object), scope);
      return false;
    }
  };

  /** @param isRestored the same version does not mean the same state. */
  const put = (object: T, scope: Scope, inInitialList: boolean, isRestored = false): void => {
    const before = store.get(objectKey(object));
    if (before !== undefined && before.metadata.uid === object.metadata.uid) {
      if (!isRestored && before.metadata.resourceVersion === object.metadata.resourceVersion) {
        return;
      }
      if (stores(object, scope)) {
        callHandlers(scope, (handler) => handler.updated?.(before, object));
      }
      return;
    }
    if (before !== undefined) {
      remove(before, scope);
    }
    if (stores(object, scope)) {
      callHandlers(scope, (handler) => handler.added?.(object, inInitialList));
    }
  };

  const follow = (scope: Scope, signal: AbortSignal): Promise<void> =>
    runReflector(
      {
        client: options.client,
        resource,
        clock,
        ...(options.projection === undefined ? {} : { projection: options.projection }),
        ...(options.transform === undefined ? {} : { transform: options.transform }),
        ...scopeOf(scope),
        ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
        ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
        sink: {
          replace: (objects, isRestored) => {
            const kept = new Set(objects.map(objectKey));
            for (const object of objectsIn(scope)) {
              if (!kept.has(objectKey(object))) {
                remove(object, scope);
              }
            }
            const inInitialList = unsynced.has(scope);
            for (const object of objects) {
              put(object, scope, inInitialList, isRestored);
            }
            unsynced.delete(scope);
            answered(scope);
          },
          leaveOut: (key) => leaveOut(key, scope),
          apply: (event) => {
            const known = store.get(objectKey(event.object));
            if (event.type === 'DELETED') {
              // An object created under the name since then is not the one that was deleted.
              if (known?.metadata.uid === event.object.metadata.uid) {
                remove(event.object, scope);
              }
            } else if (
              known === undefined ||
              !isOlderVersion(event.object.metadata.resourceVersion, known.metadata.resourceVersion)
            ) {
              // A stale API server, or a proxy that repeats events, must not take the store back in time. A list may do so:
              // a cluster restored from a backup continues with an older version.
              put(event.object, scope, false);
            }
          },
        },
        observer: {
          heard: () => heard(scope),
          listed: (count) => {
            metrics.listed(name);
            logger.debug({ resource: name, count }, 'Listed');
          },
          watchStarted: () => metrics.watchStarted(name),
          skipped,
          failed: (error, delay) => failed(scope, error, delay),
        },
      },
      signal,
    );

  const isFollowing: Informer<T>['isFollowing'] = (namespace) =>
    isNoneOf(unsynced, namespace) && isNoneOf(refusals, namespace);

  return {
    resource,
    name,
    isOptional,
    scopes,
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
      scopes.forEach((scope) => held.add(scope));
    },
    startHandlers: (chosen) => {
      for (const scope of chosen === undefined ? scopes : [chosen]) {
        if (!held.delete(scope)) {
          continue;
        }
        for (const object of objectsIn(scope)) {
          callHandlers(scope, (handler) => handler.added?.(object, true));
        }
        callHandlers(scope, (handler) => handler.started?.(scope));
      }
    },
    hasSynced: (namespace) => isNoneOf(unsynced, namespace),
    synced: (signal, namespace) => waitUntil(() => isNoneOf(unsynced, namespace), signal),
    answered: (signal, namespace) => waitUntil(() => isNoneOf(unanswered, namespace), signal),
    isFollowing,
    run: async (signal) => {
      running = true;
      const started = clock.now();
      metrics.follow(name, {
        scopes,
        isFollowing,
        staleness: () => {
          const oldest = Math.min(...scopes.map((scope) => lastHeard.get(scope) ?? started));
          return clock.now() - oldest;
        },
      });
      if (isOptional) {
        scopes.forEach((scope) => void waitBriefly(scope, signal).catch(() => undefined));
      }
      await Promise.all(scopes.map((scope) => follow(scope, signal)));
    },
  };
}

/** How long the first list of an optional resource is waited for, milliseconds. */
const optionalPatience = 5_000;

/** Index of the store where namespaces are followed each by itself; no name that a controller would choose. */
const byNamespace = 'namespace that is followed';

function namespaceOf({ metadata: { namespace } }: KubernetesObject): readonly string[] {
  return namespace === undefined ? [] : [namespace];
}

function scopeOf(scope: Scope): { readonly namespace?: string } {
  return scope === undefined ? {} : { namespace: scope };
}

/** The status code of the API server's refusal; undefined for all other errors, and for a version that is too old, as each is one day. */
function refusalOf(error: unknown): number | undefined {
  return error instanceof ApiError && error.code !== 410 ? error.code : undefined;
}
