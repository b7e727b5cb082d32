import {
  pods,
  serviceAccounts,
  type Json,
  type KubernetesObject,
  type Pod,
  type ServiceAccount,
} from '@holdfast/core';
import type { Scoped } from './scope.ts';
import type {
  AuthenticationV1TokenRequest,
  V1Binding,
  V1DeleteOptions,
  V1ObjectMeta,
  V1TokenRequestSpec,
} from '@kubernetes/client-node';
import type { Status } from '../wire/status.ts';

/**
 * A subresource at which something is created. Both the request and the response are of kinds of their own.
 *
 * For subresources other than those below, define a constant of this type. There is nothing to register.
 */
export interface Subresource<
  T extends KubernetesObject,
  Body extends object,
  Answer extends object,
  Namespaced extends boolean = boolean,
> {
  /** The resource that has the subresource. */
  readonly of: Scoped<T, Namespaced>;
  /** The last part of its path, for example `eviction`. */
  readonly name: string;
  /** The `apiVersion` of the request body. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Carries the type of the request body for the compiler; never set at run time. */
  readonly body?: Body;
  /** Carries the type of the response for the compiler; never set at run time. */
  readonly answer?: Answer;
}

/** Without name and namespace, which are those of the reference. */
type BodyMeta = Partial<Omit<Json<V1ObjectMeta>, 'name' | 'namespace'>>;

/** `policy/v1` Eviction. */
export interface EvictionBody {
  readonly metadata?: BodyMeta;
  /** `preconditions` guard it: only the pod with this UID is evicted, not a later one of its name. */
  readonly deleteOptions?: Omit<Json<V1DeleteOptions>, 'dryRun'>;
}

/** `v1` Binding. */
export type BindingBody = Omit<Json<V1Binding>, 'apiVersion' | 'kind' | 'metadata'> & {
  /** `uid` guards it: only the pod with this UID is bound. */
  readonly metadata?: BodyMeta;
};

/** `authentication.k8s.io/v1` TokenRequest. */
export interface TokenRequestBody {
  readonly metadata?: BodyMeta;
  /** Without audiences, the token is for the API server. */
  readonly spec: Partial<Json<V1TokenRequestSpec>>;
}

/** Deletes the pod unless a PodDisruptionBudget keeps it; see `evict`. */
export const podEviction: Subresource<Pod, EvictionBody, Status, true> = {
  of: pods,
  name: 'eviction',
  apiVersion: 'policy/v1',
  kind: 'Eviction',
};

/** Binds the pod to a node; this can be done only once. */
export const podBinding: Subresource<Pod, BindingBody, Status, true> = {
  of: pods,
  name: 'binding',
  apiVersion: 'v1',
  kind: 'Binding',
};

/**
 * Issues a token of the service account. The token is valid until it expires, even if its response is lost
 * and nobody has it.
 *
 * The client logs nothing of the response. The caller must keep the token out of its own output, for example
 * with `createSecretValues`. It is not among the secrets of the process, because many tokens would displace
 * others there.
 */
export const serviceAccountToken: Subresource<
  ServiceAccount,
  TokenRequestBody,
  Json<AuthenticationV1TokenRequest>,
  true
> = {
  of: serviceAccounts,
  name: 'token',
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
};
