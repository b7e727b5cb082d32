import type { ApiResource, JsonPatch, KubernetesObject, ObjectRef, UrlPath } from '@holdfast/core';
import type { Projection } from '../wire/projection.ts';
import type { UnreadableObject } from '../wire/unreadable-object.ts';
import type { Draft } from './draft.ts';
import type { Look } from './look.ts';
import type { NamespaceOf, RefOf, Scoped } from './scope.ts';

/** What every request takes. */
export interface RequestOptions {
  /** Aborts the request; whether the server had carried it out by then is not known. */
  readonly signal?: AbortSignal;
  /**
   * The look that a read is part of, or that a write rests on; see `openLook`. A write whose look is too old is not sent.
   * Default: none, and no write is refused for its age.
   */
  readonly look?: Look;
  /**
   * Sent even when the lease has ended: a write that keeps or gives back the lease, or that tells of what was done. Default: a write is refused then with
   * `TenureOver`. Reads are always sent.
   */
  readonly outlivesTenure?: boolean;
}

/** Which objects of a kind are meant. */
export interface SelectionOptions {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectionOptions, RequestOptions, Tolerance {
  /** Objects a page at the most. Default: `list` reads all at once, `listPages` 500 a page, which is client-go's figure. */
  readonly limit?: number;
  /** Token from the page before. */
  readonly continue?: string;
  /** Default: the newest state, by quorum read. `0`: any state that the server has in its cache. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

/** How an object is deleted, and which one: with a precondition, another of the same name is left alone. */
export interface DeleteOptions extends RequestOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Seconds; default: the kind's own, 30 for pods. */
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

/** What a list or a watch does about objects that are not of the shape of their kind. */
export interface Tolerance {
  /**
   * Called for each object that can't be read, which is then left out: for caches. Default: the request fails with that error, since
   * what a decision rests on must be whole.
   */
  readonly onUnreadable?: (problem: UnreadableObject) => void;
}

/** Reads parts of objects. */
export interface Projected<T extends KubernetesObject> {
  /**
   * The fields kept of each object; the request asks for protobuf where the projection can read it. Default: whole objects, as
   * they came in JSON.
   */
  readonly projection?: Projection<T>;
}

/** A list as the API server answers it, or one page of it. */
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
   * The watch begins with the objects that exist, each as `ADDED`, and a bookmark that marks their end (KEP-3157). That state is
   * not older than `resourceVersion`. Servers that can't do this refuse it with 422.
   */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this many seconds. One that goes on for longer than this and the silence limit is given up. */
  readonly timeoutSeconds: number;
  /** A connection on which nothing came for this many milliseconds is given up as dead. */
  readonly silenceLimit: number;
  readonly signal: AbortSignal;
}

/** What a watch says of an object, or of the version that it has come to. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** Every object that existed has been sent; see `sendInitialEvents`. */
      readonly initialEventsEnd?: true;
    };

/**
 * The few verbs that controllers need, on any resource. Objects that were read are never written back whole: the only update is
 * a JSON Patch. Writers that need others have them on `WritingClient`.
 *
 * Every verb throws {@link ApiError} when the server answers without success, and the transport's error when it does not
 * answer, or not within the client's limits; a write throws {@link LookTooOld} when it was not sent because its look is too old (`LookOvertaken`: no longer holds), and `TenureOver` when it was not because the lease has
 * ended. An answer of 429 or 5xx with Retry-After is waited out and tried again, ten times at the most, as client-go does;
 * nothing else is retried: that is the work queue's business.
 */
export interface ApiClient {
  get<T extends KubernetesObject, Namespaced extends boolean = boolean, Ref extends ObjectRef = ObjectRef>(
    resource: Scoped<T, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    options?: RequestOptions & Projected<T>,
  ): Promise<T>;
  /** One page. */
  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: ListOptions & Projected<T>,
  ): Promise<List<T>>;
  /**
   * All pages of one consistent snapshot. Should it expire between two pages (410), the error is thrown: the caller starts
   * again, since the items seen so far belong to a state that is gone.
   */
  listPages<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: ListOptions & Projected<T>,
  ): AsyncGenerator<List<T>>;
  /**
   * With `dryRun`, the server checks and answers but stores nothing.
   *
   * When the answer is lost, an object with a name may be there; one with a `generateName` may be there under a name that nobody knows.
   *
   * @param object undefined: one of which nothing is said.
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
  /** Returns the object as the patch left it. Callers that do not need all of it give a projection, which costs less to read. */
  patch<T extends KubernetesObject, Namespaced extends boolean = boolean, Ref extends ObjectRef = ObjectRef>(
    resource: Scoped<T, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    patch: JsonPatch,
    options?: RequestOptions & Projected<T> & { readonly subresource?: string },
  ): Promise<T>;
  /**
   * Deletes the object, or marks it as terminating while it has finalizers. With `preconditions` only the object with this UID,
   * in this resourceVersion; any other is answered with 409.
   */
  delete<Resource extends ApiResource<KubernetesObject>, Ref extends ObjectRef = ObjectRef>(
    resource: Resource,
    ref: Ref & RefOf<Resource['namespaced'], Ref>,
    options?: DeleteOptions,
  ): Promise<void>;
  /**
   * Calls back for each event until the server ends the watch, which is the normal end, or the callback calls `end`. Events that
   * arrived together with the last one might still be passed to the callback.
   *
   * @throws ApiError also for an ERROR event within the stream.
   */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: WatchOptions & Projected<T>,
    onEvent: (event: WatchEvent<T>, end: () => void) => void,
  ): Promise<void>;
  /**
   * What the API server's clock shows: the `Date` of the answer that began to come last, and the monotonic time since. undefined
   * before the first answer. For deadlines that must not pass because one clock was set wrong: let both this and the machine's be past
   * them, and treat undefined as not past.
   *
   * It is never ahead of the clock of the server that answered. It is behind it by up to a second, since `Date` has whole seconds;
   * by the time that the answer's first bytes were on their way; and by what the machine slept since, for the monotonic clock does not
   * count that. A watch's answer begins with the watch, so on an idle client the estimate may rest on an answer that is minutes old,
   * and drift by what two clocks drift in that time.
   *
   * Where several API servers answer in turn, it is the clock of one or the other, and might go back by as much as they differ; so it
   * does where a server's clock is set back. A proxy that puts a `Date` of its own on answers below 500 is believed.
   */
  serverTime(): Date | undefined;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** An {@link ApiClient} that can also be asked what the API server says of itself. */
export interface ConnectedClient extends ApiClient {
  /**
   * Reads the JSON at a path that is no resource: `urlPath('version')`, or the kinds of a group, `urlPath('apis', 'apps', 'v1')`.
   *
   * @returns the document as it came; nothing of it was checked.
   * @throws ApiError, and the transport's error, as the verbs do; Error when the answer is no JSON.
   */
  document(path: UrlPath, options?: RequestOptions): Promise<unknown>;
  /**
   * Reads the text at a path, such as the metrics at `urlPath('metrics')`.
   *
   * @throws ApiError, and the transport's error, as the verbs do.
   */
  text(path: UrlPath, options?: RequestOptions): Promise<string>;
}
