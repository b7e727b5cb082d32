import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';

/*
 * Tells the compiler whether objects of a resource have a namespace. A reference to a namespaced object
 * without a namespace does not compile, nor does one to a cluster-scoped object with a namespace.
 *
 * References whose type leaves the namespace open, such as those of `parseKey`, and resources of unknown
 * scope are accepted, since their scope is known only at run time.
 */

/**
 * A resource with what the compiler knows about its scope: `boolean`, meaning nothing, if it is declared as
 * an `ApiResource`.
 */
export type Scoped<T extends KubernetesObject, Namespaced extends boolean> = ApiResource<T> & {
  readonly namespaced: Namespaced;
};

/** The type that a reference to an object of the resource must have in addition to `ObjectRef`. */
export type RefOf<Namespaced extends boolean, Ref extends ObjectRef> =
  true extends MayHaveNamespace<Ref> ? unknown : InScope<ScopeOf<Namespaced>>;

/** The type that the namespace of a write to a collection of the resource must have. */
export type NamespaceOf<Namespaced extends boolean, In extends string | undefined> = [In] extends [string]
  ? ScopeOf<Namespaced> extends 'cluster'
    ? undefined
    : unknown
  : [In] extends [undefined]
    ? ScopeOf<Namespaced> extends 'namespace'
      ? string
      : unknown
    : unknown;

type ScopeOf<Namespaced extends boolean> = boolean extends Namespaced
  ? 'unknown'
  : Namespaced extends true
    ? 'namespace'
    : 'cluster';

/** True if the namespace is optional in at least one member of a union. */
type MayHaveNamespace<Ref> = Ref extends unknown
  ? 'namespace' extends keyof Ref
    ? object extends Pick<Ref, 'namespace'>
      ? true
      : false
    : false
  : never;

type InScope<Scope> = Scope extends 'namespace'
  ? { readonly namespace: string }
  : Scope extends 'cluster'
    ? { readonly namespace?: never }
    : unknown;
