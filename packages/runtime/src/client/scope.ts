import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';

/*
 * Whether objects of a resource have a namespace, for the compiler: a reference without the namespace of a namespaced object does not compile, nor one with
 * a namespace to an object of the cluster.
 *
 * What is known at run time only stays as it is: a reference whose type says that it may have a namespace, as those of `parseKey`, and a resource of unknown scope.
 */

/** A resource with what the compiler knows of its scope: `boolean` where it is declared as an `ApiResource`, and nothing is known. */
export type Scoped<T extends KubernetesObject, Namespaced extends boolean> = ApiResource<T> & {
  readonly namespaced: Namespaced;
};

/** What a reference to an object of the resource must be, besides an `ObjectRef`. */
export type RefOf<Namespaced extends boolean, Ref extends ObjectRef> =
  true extends MayHaveNamespace<Ref> ? unknown : InScope<ScopeOf<Namespaced>>;

/** What the namespace of a write to a collection of the resource must be. */
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

/** Holds where the namespace is optional, in one member of a union at least. */
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
