import type { KubernetesObject, ObjectRef } from '@holdfast/core';
import type { Answered } from './answered.ts';
import type { ConnectedClient, DeleteOptions, Projected, RequestOptions } from './api-client.ts';
import type { FieldConflict } from './apply-conflict.ts';
import type { CollectionChoice } from './collection-choice.ts';
import type { ApplyConfiguration, MergePatch } from './draft.ts';
import type { NamespaceOf, RefOf, Scoped } from './scope.ts';
import type { Subresource } from './subresource.ts';

/** Options of every write. */
export interface WriteOptions extends RequestOptions {
  /** The subresource to write, such as `status` or `scale`. Default: the object itself. */
  readonly subresource?: string;
}

/** Options of an apply. */
export interface ApplyOptions extends WriteOptions {
  /**
   * The field manager, which owns the applied fields. Keep it the same from release to release; at most 128
   * characters. Default: the name of the program that `connect` was given, which is also the manager of
   * everything that it writes by other verbs.
   */
  readonly fieldManager?: string;
  /**
   * Takes over fields that others own with another value, as controllers do that own a field for good.
   * Default: false, the result is `conflict`.
   */
  readonly force?: boolean;
}

/** The result of an apply. */
export type Applied<T> =
  | Answered<T>
  /**
   * Others own fields that have another value here. Nothing was written. Decide whether to `force`, to adopt
   * their value, or to leave the fields out.
   */
  | { readonly kind: 'conflict'; readonly conflicts: readonly FieldConflict[] };

/** The result of an update. */
export type Updated<T> =
  | Answered<T>
  /** `change` changed nothing, so nothing was sent. */
  | { readonly kind: 'unchanged'; readonly object: T };

/**
 * The verbs for writers that need no guard, or another guard than that of a JSON Patch. Controllers that
 * decide on what they have read use `patch` with `guardedPatch`, which states what the decision is based on.
 *
 * Expected results are returned as data: written, gone, outdated (look again), and more for some verbs.
 * Everything else is thrown as by the verbs of `ApiClient`, under the same limits, budgets, tenure and looks.
 * A look that was too old counts as `outdated`.
 *
 * If a response is lost, the error of the transport is thrown, and it is unknown whether the write took
 * place. The client then repeats no verb. Each verb documents what happens if its caller repeats it.
 */
export interface ClientVerbs {
  /**
   * Server-side apply. The object gets the fields of the configuration, is created if it does not exist, and
   * loses the fields that this manager applied before and no longer does.
   *
   * Repeating it has the same result, so after a lost response just call it again. `outdated` is only
   * returned if the metadata has a `uid` or `resourceVersion`, and the object is another one, or in another version.
   * Only a `uid` keeps the API server from creating an object that does not exist: with a `resourceVersion` alone, one
   * that was deleted meanwhile is made again. `gone` means that the namespace does not exist.
   */
  apply<T extends KubernetesObject, Namespaced extends boolean = boolean, Ref extends ObjectRef = ObjectRef>(
    resource: Scoped<T, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    configuration: ApplyConfiguration<T>,
    options?: ApplyOptions & Projected<T>,
  ): Promise<Applied<T>>;
  /**
   * JSON Merge Patch. The last writer wins, unless the patch has a `uid` or `resourceVersion` in its
   * metadata: then any other object, or version of it, returns `outdated`.
   *
   * Repeating it sets the same values again, also over what others have written since; with a
   * `resourceVersion` it is outdated.
   */
  mergePatch<
    T extends KubernetesObject,
    Namespaced extends boolean = boolean,
    Ref extends ObjectRef = ObjectRef,
  >(
    resource: Scoped<T, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    patch: MergePatch<T>,
    options?: WriteOptions & Projected<T>,
  ): Promise<Answered<T>>;
  /**
   * Reads the whole object at its newest state, and writes it as `change` returns it. It needs permission to
   * `get` and `update`. If another write happened in between, the result is `outdated` and nothing is
   * written.
   *
   * It reads the object itself because a cache keeps only some fields, and a write from it would remove the
   * others. Fields that the type does not know are kept. But an API server that is older than the one that
   * stored the object drops the fields that it does not know, which no patch would do.
   *
   * Called again after a lost response, `change` receives what exists by then.
   *
   * @param change must be pure. It receives the object and returns another one, or undefined if there is
   *   nothing to change. Name, namespace, UID and resourceVersion stay the same, whatever it returns.
   * @throws TypeError if `change` returns no object, such as a promise, or nothing although it has changed what it
   *   received.
   */
  update<T extends KubernetesObject, Namespaced extends boolean = boolean, Ref extends ObjectRef = ObjectRef>(
    resource: Scoped<T, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    change: (object: T) => T | undefined,
    options?: WriteOptions,
  ): Promise<Updated<T>>;
  /**
   * Deletes the selected objects of one namespace, or of the cluster, with one request; objects with
   * finalizers are marked as terminating. It has no guards: what a user creates a moment before is deleted
   * too. Prefer `delete` with preconditions for each object that was decided on.
   *
   * It is not atomic: if it fails, or its response is lost, some objects are deleted and others not. It is
   * sent only once, even if the API server asks the client to come back later, since other objects might
   * match the selector by then. Called again it deletes what is left, and also those.
   *
   * @param choice selectors, or `'all'`.
   * @throws LookTooOld. Also Error, without sending anything, for a selector that matches everything and for
   *   a namespace that does not fit the scope of the resource.
   */
  deleteCollection<
    T extends KubernetesObject,
    Namespaced extends boolean = boolean,
    In extends string | undefined = string | undefined,
  >(
    resource: Scoped<T, Namespaced>,
    namespace: In & NamespaceOf<Namespaced, In>,
    choice: CollectionChoice,
    options?: Omit<DeleteOptions, 'preconditions'>,
  ): Promise<void>;
  /**
   * Creates something at a subresource: an eviction, a binding, a token. `outdated` stands for the API
   * server's 409, for example for a pod that is already bound or a precondition that does not hold.
   *
   * Repeated after a lost response, a binding is outdated; an eviction is gone (or outdated, if it has a
   * precondition and a new pod of that name exists); and a token is another token.
   */
  createSubresource<
    T extends KubernetesObject,
    Body extends object,
    Answer extends object,
    Namespaced extends boolean = boolean,
    Ref extends ObjectRef = ObjectRef,
  >(
    subresource: Subresource<T, Body, Answer, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    body: Body,
    options?: RequestOptions,
  ): Promise<Answered<Answer>>;
}

/**
 * A client with every verb, as `connect` creates it. Pass it as an `ApiClient` to controllers that should
 * only send guarded patches.
 */
export interface WritingClient extends ConnectedClient, ClientVerbs {}
