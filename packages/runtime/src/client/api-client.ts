import type { ApiResource, JsonPatch, KubernetesObject, ObjectRef, UrlPath } from '@holdfast/core';
import type { Projection } from '../wire/projection.ts';
import type { UnreadableObject } from '../wire/unreadable-object.ts';
import type { Draft } from './draft.ts';
import type { Look } from './look.ts';
import type { NamespaceOf, RefOf, Scoped } from './scope.ts';

/** Options of every request. */
export interface RequestOptions {
  /** Aborts the request. Whether the server had already carried it out is then unknown. */
  readonly signal?: AbortSignal;
  /**
   * The look that a read belongs to, or that a write is based on; see `openLook`. A write is not sent if its
   * look is too old. Default: none, and no write is refused for its age.
   */
  readonly look?: Look;
  /**
   * Sends the write even after the lease has ended. Use it for writes that keep or release the lease, or
   * report what was done. Default: such a write is refused with `TenureOver`. Reads are always sent.
   */
  readonly outlivesTenure?: boolean;
}

/** Selects objects of a kind. */
export interface SelectionOptions {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectionOptions, RequestOptions, Tolerance {
  /**
   * The most objects on a page. Default: `list` reads all at once, and `listPages` reads 500 a page,
   * client-go's figure.
   */
  readonly limit?: number;
  /** The token that the previous page returned. */
  readonly continue?: string;
  /** Default: the newest state, by quorum read. `0`: any state that the server has in its cache. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

/** How to delete an object, and which one: a precondition protects another object of the same name. */
export interface DeleteOptions extends RequestOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** In seconds. Default: that of the kind, 30 for pods. */
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

/** What a list or a watch does about objects that lack the shape of their kind. */
export interface Tolerance {
  /**
   * Called for each object that cannot be read, which is then left out. This is meant for caches. Default:
   * the request fails with that error, since a decision must be based on complete data.
   */
  readonly onUnreadable?: (problem: UnreadableObject) => void;
}

/** Reads parts of objects. */
export interface Projected<T extends KubernetesObject> {
  /**
   * The fields to keep of each object. The request asks for protobuf if the projection can read it. Default:
   * whole objects, as they came in JSON.
   */
  readonly projection?: Projection<T>;
}

/** A list as the API server returns it, or one page of it. */
export interface List<T> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

export interface WatchOptions extends SelectionOptions, Tolerance {
  /** Default: the newest state. */
  readonly resourceVersion?: string;
  /**
   * The watch begins with the existing objects, each as `ADDED`, and a bookmark that marks their end
   * (KEP-3157). That state is not older than `resourceVersion`. Servers that cannot do this refuse it with
   * 422.
   */
  readonly sendInitialEvents?: boolean;
  /**
   * The server ends the watch after this many seconds. The client gives up a watch that exceeds this by more
   * than the silence limit.
   */
  readonly timeoutSeconds: number;
  /** A connection without any data for this many milliseconds is considered dead. */
  readonly silenceLimit: number;
  readonly signal: AbortSignal;
}

/** One event of a watch: a change of an object, or the version that the watch has reached. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** The server has sent every object that existed; see `sendInitialEvents`. */
      readonly initialEventsEnd?: true;
    };

/**
 * The few verbs that controllers need, on any resource. Objects that were read are never written back whole:
 * the only update is a JSON Patch. `WritingClient` has the other verbs.
 *
 * Every verb throws {@link ApiError} if the server answers without success, and the transport's error if it
 * does not answer, or not within the client's limits. A write that was not sent throws {@link LookTooOld} if
 * its look is too old, `LookOvertaken` if its look no longer holds, and `TenureOver` if the lease has ended.
 *
 * A response of 429 or 5xx with Retry-After is retried after that time, at most ten times, as client-go does.
 * Nothing else is retried: that is left to the work queue.
 */
export interface ApiClient {
  get<T extends KubernetesObject, Namespaced extends boolean = boolean, Ref extends ObjectRef = ObjectRef>(
    resource: Scoped<T, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    options?: RequestOptions & Projected<T>,
  ): Promise<T>;
  /** Reads one page. */
  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: ListOptions & Projected<T>,
  ): Promise<List<T>>;
  /**
   * Reads all pages of one consistent snapshot. If the snapshot expires between two pages (410), the error is
   * thrown, and the caller has to start over: the items seen so far belong to a state that is gone. Unlike
   * client-go's pager, it does not continue with a list without a limit, because the caller already has those
   * items. A caller that must get to the end calls `list` without a limit then.
   */
  listPages<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: ListOptions & Projected<T>,
  ): AsyncGenerator<List<T>>;
  /**
   * Creates the object. With `dryRun`, the server checks it and answers, but stores nothing.
   *
   * If the response is lost, the object might exist. One created with `generateName` might then exist under
   * an unknown name.
   *
   * @param object undefined creates an object with no fields of its own.
   */
  create<
    T extends KubernetesObject,
    Namespaced extends boolean = boolean,
    In extends string | undefined = string | undefined,
    Plural extends string = string,
    Written = unknown,
  >(
    resource: Scoped<T, Namespaced> & { readonly plural: Plural; readonly draft?: Written },
    namespace: In & NamespaceOf<Namespaced, In>,
    object: Draft<T, Plural, NoInfer<Written>> | undefined,
    options?: RequestOptions,
  ): Promise<T>;
  /**
   * Returns the object as the patch left it. A caller that needs only parts of it gives a projection, which
   * makes the response cheaper to read.
   */
  patch<T extends KubernetesObject, Namespaced extends boolean = boolean, Ref extends ObjectRef = ObjectRef>(
    resource: Scoped<T, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    patch: JsonPatch,
    options?: RequestOptions & Projected<T> & { readonly subresource?: string },
  ): Promise<T>;
  /**
   * Deletes the object, or marks it as terminating while it has finalizers. With `preconditions`, only the
   * object with this UID and resourceVersion is deleted; for any other the server answers 409.
   */
  delete<Resource extends ApiResource<KubernetesObject>, Ref extends ObjectRef = ObjectRef>(
    resource: Resource,
    ref: Ref & RefOf<Resource['namespaced'], Ref>,
    options?: DeleteOptions,
  ): Promise<void>;
  /**
   * Calls `onEvent` for each event until the server ends the watch, which is the normal end, or the callback
   * calls `end`. The callback might still receive events that arrived together with the last one.
   *
   * @throws ApiError also for an ERROR event within the stream.
   */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: WatchOptions & Projected<T>,
    onEvent: (event: WatchEvent<T>, end: () => void) => void,
  ): Promise<void>;
  /**
   * Estimates the API server's clock from the `Date` of the response that began last and the monotonic time
   * since; undefined before the first response. Use it for deadlines that must not pass because one clock is
   * wrong: require that both this and the machine's clock are past them, and treat undefined as not past.
   *
   * The estimate is never ahead of the clock of the server that answered. It is behind by up to a second,
   * since `Date` has whole seconds; by the time that the first bytes of the response were on their way; and
   * by the time that the machine slept since, which the monotonic clock does not count. The response to a
   * watch begins with the watch. So on an idle client the estimate can be based on a response that is minutes
   * old, and drift by as much as the two clocks drift in that time.
   *
   * If several API servers answer in turn, the estimate is of one clock or another. It can go back by as much
   * as these differ, or if a server's clock is set back. If a proxy puts its own `Date` on responses below
   * 500, the estimate follows the proxy's clock.
   */
  serverTime(): Date | undefined;
  /** Closes all connections, and kills an exec plugin that runs. */
  close(): Promise<void>;
}

/** An {@link ApiClient} that can also read what the API server reports about itself. */
export interface ConnectedClient extends ApiClient {
  /**
   * Reads the JSON at a path that is not a resource: `urlPath('version')`, or the kinds of a group,
   * `urlPath('apis', 'apps', 'v1')`.
   *
   * @returns the document as it came, unchecked.
   * @throws ApiError, and the transport's error, as the verbs do; Error if the response is not JSON.
   */
  document(path: UrlPath, options?: RequestOptions): Promise<unknown>;
  /**
   * Reads the text at a path, such as the metrics at `urlPath('metrics')`.
   *
   * @throws ApiError, and the transport's error, as the verbs do.
   */
  text(path: UrlPath, options?: RequestOptions): Promise<string>;
}
