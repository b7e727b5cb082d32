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
import { isSameState } from './same-state.ts';
import { createStore, type IndexFunction, type Store } from './store.ts';

/**
 * What a controller does on a change. An error thrown by a handler is logged and does not affect other
 * handlers. The handler is not called again for the change, so what it was to wake is not woken before the next one.
 */
export interface EventHandler<T> {
  /**
   * @param inInitialList whether the object existed before the informer, or its held handlers, started. Then
   *   nothing has happened to it just now.
   */
  added?(object: T, inInitialList: boolean): void;
  /**
   * Called for an object of the same UID with a newer resourceVersion. The fields that a controller reads can
   * be unchanged.
   *
   * After the server's data were restored from a backup, the resourceVersion can also be older or the same.
   * Then this is called for each object that still exists. It can be the same as well if the server was started
   * with other feature gates or in another release, and shows other fields of the object.
   */
  updated?(before: T, after: T): void;
  /**
   * @param last the last state that the informer saw, which might not be the last one that the object had.
   */
  deleted?(last: T): void;
  /**
   * Called when the watch brought a state of the object that cannot be read, or its deletion in such a state.
   * `deleted` was called before, if the store had the object.
   *
   * Use it to wait until such an object is repaired or gone; a repaired object is `added`. It might not be
   * called for an object that a list leaves out.
   */
  leftOut?(key: ObjectKey): void;
  /**
   * Called when held handlers have been started for the scope, after they were called for each of its
   * objects: see {@link Informer.startHandlers}.
   */
  started?(scope: Scope): void;
}

/** What an informer lists and watches separately: a namespace, or the whole cluster if undefined. */
export type Scope = string | undefined;

/** A store that follows the API server and calls handlers for changes. */
export interface Informer<T extends KubernetesObject> {
  readonly resource: ApiResource<T>;
  /**
   * The name in metrics, logs and the health check: the plural, followed by the group if the resource is
   * optional, as in `databases.example.com`.
   */
  readonly name: string;
  /** See {@link InformerOptions.optional}. */
  readonly isOptional: boolean;
  /** The namespaces that it follows, or one undefined scope if it follows the whole cluster. */
  readonly scopes: readonly Scope[];
  /**
   * The selectors of the objects that it follows; empty: all objects. An object that stops matching leaves the store
   * as if it were deleted.
   */
  readonly selectors: Selectors;
  readonly store: Store<T>;
  /** Must be called before `run`, so that all handlers see the same changes. */
  addHandler(handler: EventHandler<T>): void;
  /**
   * From now on the store follows the API server, but no handler is called until
   * {@link Informer.startHandlers}. Otherwise the queue of a standby would fill with keys that nobody takes.
   * Also, a key must not be worked on before everything that its decision reads is in the caches. Must be
   * called before `run`.
   */
  holdHandlers(): void;
  /**
   * Ends {@link Informer.holdHandlers} for one scope: handlers are called once with each of its objects in
   * the store, as `added` in the initial list, and from then on with what changes. No effect if handlers are
   * not held.
   *
   * @param scope default: all scopes.
   */
  startHandlers(scope?: Scope): void;
  /**
   * Returns whether the first list is in the store and handlers have been called for it, unless they are
   * held.
   *
   * @param namespace asks about this namespace only; the answer is false if the informer does not follow it.
   *   Default: all scopes.
   */
  hasSynced(namespace?: string): boolean;
  /** Resolves when {@link hasSynced} becomes true; rejects with the signal's reason when aborted before. */
  synced(signal: AbortSignal, namespace?: string): Promise<void>;
  /**
   * Resolves when the first list is in the store or has failed once, or, for an optional resource, has taken
   * 5 s. Then there is nothing more to wait for before other resources are worked on. Rejects as
   * {@link synced} does.
   *
   * @param namespace as in {@link hasSynced}.
   */
  answered(signal: AbortSignal, namespace?: string): Promise<void>;
  /**
   * Returns whether the store shows what exists: it is synced, and the API server has not refused the last
   * list or watch since. If the API server refuses, the store keeps its objects: that the resource cannot be
   * read does not mean that its objects are gone.
   *
   * @param namespace as in {@link hasSynced}.
   */
  isFollowing(namespace?: string): boolean;
  /**
   * Lists everything anew, and takes each object as changed even if its version is the known one: the API server's data
   * were restored from a backup.
   */
  listAgain(): void;
  /**
   * Returns whether the API server has answered the last list or watch with 403: that one may not read the resource.
   *
   * @param scope one of {@link scopes}.
   */
  isForbidden(scope: Scope): boolean;
  /** Follows the API server until the signal is aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Selects objects of a kind at the API server. Default: all of them. */
export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** What an informer follows, and what it keeps in its store. */
export interface InformerOptions<T extends KubernetesObject> extends Selectors {
  readonly client: ApiClient;
  readonly resource: ApiResource<T>;
  readonly logger: Logger;
  readonly metrics: InformerMetrics;
  /**
   * Follows only these namespaces, with one watch for each. Default, also for an empty list: all namespaces,
   * with one watch.
   */
  readonly namespaces?: readonly string[];
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** The fields of each object that the controller reads, see `createProjection`. Default: all fields. */
  readonly projection?: Projection<T>;
  /**
   * Changes each object on arrival, after the projection, in ways that a choice of fields cannot express. It
   * must keep the name, namespace, uid and resourceVersion. An object for which it throws is left out: handlers
   * see it as deleted although it exists, so ask the API server before acting on its absence.
   */
  readonly transform?: (object: T) => T;
  /**
   * Set for a resource that the API server might not serve, or might not allow to be read, now or at times.
   * Default: false, nothing is worked on without it.
   *
   * If an optional resource is unavailable, this is logged once, and the other resources are worked on. It is
   * taken up within a minute after it becomes available. If the API server does not answer, the program goes
   * on without the resource after 5 s.
   */
  readonly optional?: boolean;
  readonly clock?: Clock;
}

/**
 * Creates an informer for one resource.
 *
 * An object that was deleted and created again under its name is `deleted` and then `added`, even if the
 * watch skipped the deletion, because the UIDs differ. The store is already in the new state when handlers
 * are called.
 */
export function createInformer<T extends KubernetesObject>(options: InformerOptions<T>): Informer<T> {
  const { resource, logger, metrics, optional: isOptional = false, clock = systemClock } = options;
  const name = isOptional ? [resource.plural, resource.group].filter(Boolean).join('.') : resource.plural;
  const store = createStore<T>({
    ...options.indexes,
    ...(options.namespaces?.length ? { [byNamespace]: namespaceOf } : {}),
  });
  const selectors: Selectors = {
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
    ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
  };
  const handlers: EventHandler<T>[] = [];
  const scopes: readonly Scope[] = options.namespaces?.length ? options.namespaces : [undefined];
  const known: ReadonlySet<Scope> = new Set(scopes);
  const unsynced = new Set(scopes);
  const unanswered = new Set(scopes);
  const held = new Set<Scope>();
  /** The callbacks that wait, by the namespace that they wait for, each with its condition. */
  const waiting = new Map<Scope, Map<() => void, () => boolean>>();
  /** What an abort of a signal ends. */
  const aborting = new WeakMap<AbortSignal, Set<() => void>>();
  /** The status code with which the API server refused the last list or watch. */
  const refusals = new Map<Scope, number>();
  /** Optional scopes that are worked without, because their first list neither came nor failed in time. */
  const overdue = new Set<Scope>();
  const lastHeard = new Map<Scope, number>();
  const leftOutLog = createLeftOutLog(clock);
  /** What makes the reflector of each scope list anew. */
  const relists: (() => void)[] = [];
  let running = false;

  /**
   * Returns whether the namespace is followed and not pending; without a namespace, whether nothing is
   * pending.
   */
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

  const callHandlers = (
    scope: Scope,
    key: ObjectKey | undefined,
    call: (handler: EventHandler<T>) => void,
  ): void => {
    if (held.has(scope)) {
      return;
    }
    for (const handler of handlers) {
      try {
        call(handler);
      } catch (error) {
        logger.error({ err: error, resource: name, key, ...scopeOf(scope) }, 'Event handler failed');
      }
    }
  };

  /** Each signal has one listener, since adding one goes through all that are there, and waits can be thousands. */
  const onAbort = (signal: AbortSignal, abort: () => void): (() => void) => {
    const known = aborting.get(signal);
    const all = known ?? new Set();
    all.add(abort);
    if (known === undefined) {
      aborting.set(signal, all);
      signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true });
    }
    return () => all.delete(abort);
  };

  const waitUntil = (scope: Scope, isSo: () => boolean, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isSo()) {
        resolve();
        return;
      }
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const ofScope = waiting.get(scope) ?? new Map<() => void, () => boolean>();
      waiting.set(scope, ofScope);
      const wake = (): void => {
        forgetAbort();
        resolve();
      };
      const forgetAbort = onAbort(signal, () => {
        ofScope.delete(wake);
        reject(signal.reason as Error);
      });
      ofScope.set(wake, isSo);
    });

  const wakeWaiting = (scope: Scope): void => {
    // What concerns the whole cluster concerns each namespace, and the other way round.
    for (const ofScope of scope === undefined
      ? waiting.values()
      : [waiting.get(scope), waiting.get(undefined)]) {
      for (const [wake, isSo] of [...(ofScope ?? [])]) {
        if (isSo()) {
          ofScope?.delete(wake);
          wake();
        }
      }
    }
  };

  const answered = (scope: Scope): void => {
    unanswered.delete(scope);
    wakeWaiting(scope);
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

  /** A namespace is not worked on before its first list; other namespaces are. */
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

  /**
   * A server that hangs, or keeps asking the client to wait, must not hold up the other resources any more
   * than one that refuses.
   */
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

  /**
   * Each of perhaps thousands of namespaces is listed separately, so the index avoids a scan of all objects
   * each time.
   */
  const objectsIn = (scope: Scope): readonly T[] =>
    scope === undefined ? [...store.values()] : store.byIndex(byNamespace, scope);

  const remove = (last: T, scope: Scope): void => {
    const key = objectKey(last);
    store.delete(key);
    callHandlers(scope, key, (handler) => handler.deleted?.(last));
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
    callHandlers(scope, key, (handler) => handler.leftOut?.(key));
  };

  /**
   * @returns false for an object that an index function cannot read. It is left out like any unreadable
   *   object.
   */
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

  /** @param isRestored if true, the same version does not mean the same state. */
  const put = (object: T, scope: Scope, inInitialList: boolean, isRestored = false): void => {
    const key = objectKey(object);
    const before = store.get(key);
    if (before !== undefined && before.metadata.uid === object.metadata.uid) {
      if (!isRestored && isSameState(before, object)) {
        return;
      }
      if (stores(object, scope)) {
        callHandlers(scope, key, (handler) => handler.updated?.(before, object));
      }
      return;
    }
    if (before !== undefined) {
      remove(before, scope);
    }
    if (stores(object, scope)) {
      callHandlers(scope, key, (handler) => handler.added?.(object, inInitialList));
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
        onRelist: (relist) => void relists.push(relist),
        ...selectors,
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
              // An object created since then under the same name is not the one that was deleted.
              if (known?.metadata.uid === event.object.metadata.uid) {
                remove(event.object, scope);
              }
            } else if (
              known === undefined ||
              !isOlderVersion(event.object.metadata.resourceVersion, known.metadata.resourceVersion)
            ) {
              // A stale API server, or a proxy that repeats events, must not take the store back in time. A
              // list can do so, because a cluster restored from a backup continues with an older version.
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
    selectors,
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
          callHandlers(scope, objectKey(object), (handler) => handler.added?.(object, true));
        }
        callHandlers(scope, undefined, (handler) => handler.started?.(scope));
      }
    },
    hasSynced: (namespace) => isNoneOf(unsynced, namespace),
    synced: (signal, namespace) => waitUntil(namespace, () => isNoneOf(unsynced, namespace), signal),
    answered: (signal, namespace) => waitUntil(namespace, () => isNoneOf(unanswered, namespace), signal),
    isFollowing,
    listAgain: () => relists.forEach((relist) => relist()),
    isForbidden: (scope) => refusals.get(scope) === 403,
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

/** How long to wait for the first list of an optional resource, in milliseconds. */
const optionalPatience = 5_000;

/**
 * Name of the index used if namespaces are followed separately; a controller would not choose such a name.
 */
const byNamespace = 'namespace that is followed';

function namespaceOf({ metadata: { namespace } }: KubernetesObject): readonly string[] {
  return namespace === undefined ? [] : [namespace];
}

function scopeOf(scope: Scope): { readonly namespace?: string } {
  return scope === undefined ? {} : { namespace: scope };
}

/**
 * Returns the status code of the API server's refusal. It is undefined for all other errors, and for an
 * expired resourceVersion (410), which every version becomes sooner or later.
 */
function refusalOf(error: unknown): number | undefined {
  return error instanceof ApiError && error.code !== 410 ? error.code : undefined;
}
