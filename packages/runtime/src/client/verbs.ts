import type { KubernetesObject, ObjectRef } from '@holdfast/core';
import type { Answered } from './answered.ts';
import type { ConnectedClient, DeleteOptions, Projected, RequestOptions } from './api-client.ts';
import type { FieldConflict } from './apply-conflict.ts';
import type { CollectionChoice } from './collection-choice.ts';
import type { ApplyConfiguration, MergePatch } from './draft.ts';
import type { NamespaceOf, RefOf, Scoped } from './scope.ts';
import type { Subresource } from './subresource.ts';

/** What every write takes. */
export interface WriteOptions extends RequestOptions {
  /** What is written at, such as `status` or `scale`. Default: the object itself. */
  readonly subresource?: string;
}

/** How an object is applied. */
export interface ApplyOptions extends WriteOptions {
  /**
   * Who applies: fields are owned by this name, so that it stays the same from release to release. 128 characters at the most. Default: the name of the program that
   * `connect` was given, which is also the manager of all that it writes by other verbs.
   */
  readonly fieldManager?: string;
  /** Takes fields from others that own them with another value. Controllers that own a field for good do. Default false: `conflict` is answered. */
  readonly force?: boolean;
}

/** What became of an apply. */
export type Applied<T> =
  | Answered<T>
  /** Others own fields that have another value here. Nothing was written; decide whether to `force`, to take their value over, or to leave the fields out. */
  | { readonly kind: 'conflict'; readonly conflicts: readonly FieldConflict[] };

/** What became of an update. */
export type Updated<T> =
  | Answered<T>
  /** `change` had nothing to change, and nothing was sent. */
  | { readonly kind: 'unchanged'; readonly object: T };

/**
 * The verbs of writers that need no guard of their own, or another one than a JSON Patch has. Controllers that decide on what they have read use
 * `patch` with `guardedPatch`, which says what it rests on.
 *
 * What is expected is answered as data: written, gone, outdated (look again), and what a verb has besides. Everything else is thrown as by the verbs of `ApiClient`, under the
 * same limits, budgets, tenure and looks: `outdated` is also a look that was too old.
 *
 * When an answer is lost, the error of the transport is thrown, and it is not known whether the write took place. No verb is then repeated by the client; each says here
 * what happens when its caller does.
 */
export interface ClientVerbs {
  /**
   * Server-side apply: the object gets the fields of the configuration, is made when it is not there, and loses the fields that this manager applied before and does not any more.
   *
   * Applied again it is the same, so that a lost answer needs nothing but another call. `outdated` comes of a `uid` or `resourceVersion` in its metadata alone: with one,
   * an object of this name that is not there, or is another, is not made. `gone`: its namespace is not there.
   */
  apply<T extends KubernetesObject, Namespaced extends boolean = boolean, Ref extends ObjectRef = ObjectRef>(
    resource: Scoped<T, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    configuration: ApplyConfiguration<T>,
    options?: ApplyOptions & Projected<T>,
  ): Promise<Applied<T>>;
  /**
   * JSON Merge Patch. The last one who writes wins, unless the patch has a `uid` or `resourceVersion` in its metadata: any other object, or version of it, is then
   * answered with `outdated`.
   *
   * Sent again it sets the same values, also over what others have written since; with a `resourceVersion` it is outdated.
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
   * Reads the object, whole and at its newest state, and writes it as `change` returns it; it needs the permission to `get` besides `update`. Another write in between
   * is answered with `outdated`, and nothing is then written.
   *
   * It reads for itself because what a cache keeps of an object has a part of its fields, and the others would be gone. Fields that the type does not know come and go as they are; an API
   * server that is older than the one that stored the object drops what it does not know, which no patch would.
   *
   * Called again after a lost answer, `change` is given what is there by then.
   *
   * @param change pure; it gets the object and returns another one, or undefined when there is nothing to change. Name, namespace, UID and resourceVersion stay what they
   *   were, whatever it returns.
   */
  update<T extends KubernetesObject, Namespaced extends boolean = boolean, Ref extends ObjectRef = ObjectRef>(
    resource: Scoped<T, Namespaced>,
    ref: Ref & RefOf<Namespaced, Ref>,
    change: (object: T) => T | undefined,
    options?: WriteOptions,
  ): Promise<Updated<T>>;
  /**
   * Deletes what is selected in one namespace, or of the cluster, by one request; objects with finalizers are marked as terminating. It has no guards: what a user makes a moment before is
   * deleted as well. Prefer `delete` with preconditions for each object that was decided on.
   *
   * It is not atomic: when it fails, or its answer is lost, some are deleted and others not. It is sent once, even where the API server asks to come back later: by then there are perhaps others that
   * the selector fits. Called again it deletes what is left, and these.
   *
   * @param choice selectors, or `'all'`.
   * @throws LookTooOld; Error, and sends nothing, for a selector that selects everything, and a namespace that does not fit the scope of the resource.
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
   * Creates something at a subresource: an eviction, a binding, a token. `outdated` is what the API server answers with 409: a pod that is bound already, a precondition that does
   * not hold.
   *
   * Sent again after a lost answer, a binding is outdated, an eviction gone (or outdated, where it has a precondition and the pod is there anew), and a token
   * another one.
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

/** A client with every verb, as `connect` makes it. Controllers of which no more than guarded patches are wanted are handed it as an `ApiClient`. */
export interface WritingClient extends ConnectedClient, ClientVerbs {}
