import type {
  ApiResource,
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  Event,
  EventsEvent,
  Job,
  KubernetesObject,
  Lease,
  MutatingWebhookConfiguration,
  Namespace,
  Node,
  ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
  TokenReview,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
} from '@holdfast/core';

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

/** A resource of one's own whose objects have a namespace: `const sites: NamespacedResource<Site> = { ..., namespaced: true }`. */
export type NamespacedResource<T extends KubernetesObject> = Scoped<T, true>;

/** A resource of one's own whose objects have none. */
export type ClusterResource<T extends KubernetesObject> = Scoped<T, false>;

/** The type of the objects of a resource, or of any of several. */
export type ObjectOf<Resource extends ApiResource<KubernetesObject>> =
  Resource extends ApiResource<infer T> ? T : never;

/** What a reference to an object of the resource must be, besides an `ObjectRef`. */
export type RefOf<T extends KubernetesObject, Namespaced extends boolean, Ref extends ObjectRef> =
  true extends MayHaveNamespace<Ref> ? unknown : InScope<ScopeOf<T, Namespaced>>;

/** What the namespace of a write to a collection of the resource must be. */
export type NamespaceOf<
  T extends KubernetesObject,
  Namespaced extends boolean,
  In extends string | undefined,
> = [In] extends [string]
  ? ScopeOf<T, Namespaced> extends 'cluster'
    ? undefined
    : unknown
  : [In] extends [undefined]
    ? ScopeOf<T, Namespaced> extends 'namespace'
      ? string
      : unknown
    : unknown;

/** `unknown`: the type of its objects is none of core's, and its constant does not say. */
export type ScopeOf<T extends KubernetesObject, Namespaced extends boolean> = boolean extends Namespaced
  ? KnownScope<T>
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

type KnownScope<T> =
  IsAmong<T, NamespacedKinds> extends true
    ? 'namespace'
    : IsAmong<T, ClusterKinds> extends true
      ? 'cluster'
      : 'unknown';

/** Those that core has resources of. */
type NamespacedKinds = [
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  Event,
  EventsEvent,
  Job,
  Lease,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
];

type ClusterKinds = [
  MutatingWebhookConfiguration,
  Namespace,
  Node,
  PersistentVolume,
  StorageClass,
  SubjectAccessReview,
  TokenReview,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
];

type IsAmong<T, Kinds extends readonly unknown[]> = true extends {
  [Index in keyof Kinds]: IsSame<Kinds[Index], T>;
}[number]
  ? true
  : false;

/** Identical: to be assignable to each other is not enough, since any object is that to a kind of which all fields are optional. */
type IsSame<A, B> =
  (<X>(value: X) => X extends A ? 1 : 2) extends <X>(value: X) => X extends B ? 1 : 2 ? true : false;
