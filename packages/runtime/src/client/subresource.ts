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
 * A subresource that something is created at. What is sent is of a kind of its own, and so is what is answered.
 *
 * Others than those below are described by a constant of this type; nothing has to be registered.
 */
export interface Subresource<
  T extends KubernetesObject,
  Body extends object,
  Answer extends object,
  Namespaced extends boolean = boolean,
> {
  /** Whose subresource it is. */
  readonly of: Scoped<T, Namespaced>;
  /** The last part of its path, for example `eviction`. */
  readonly name: string;
  /** Of what is sent. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Carries the type of what is sent; never set. */
  readonly body?: Body;
  /** Carries the type of what is answered; never set. */
  readonly answer?: Answer;
}

/** Name and namespace are those of the reference. */
type BodyMeta = Partial<Omit<Json<V1ObjectMeta>, 'name' | 'namespace'>>;

/** `policy/v1` Eviction. */
export interface EvictionBody {
  readonly metadata?: BodyMeta;
  /** `preconditions` guard it: the pod with this UID, and no later one of its name. */
  readonly deleteOptions?: Omit<Json<V1DeleteOptions>, 'dryRun'>;
}

/** `v1` Binding. */
export type BindingBody = Omit<Json<V1Binding>, 'apiVersion' | 'kind' | 'metadata'> & {
  /** `uid` guards it. */
  readonly metadata?: BodyMeta;
};

/** `authentication.k8s.io/v1` TokenRequest. */
export interface TokenRequestBody {
  readonly metadata?: BodyMeta;
  /** Without audiences, the token is for the API server. */
  readonly spec: Partial<Json<V1TokenRequestSpec>>;
}

/** Deletes the pod, unless a PodDisruptionBudget keeps it; see `evict`. */
export const podEviction: Subresource<Pod, EvictionBody, Status, true> = {
  of: pods,
  name: 'eviction',
  apiVersion: 'policy/v1',
  kind: 'Eviction',
};

/** Puts the pod on a node, once. */
export const podBinding: Subresource<Pod, BindingBody, Status, true> = {
  of: pods,
  name: 'binding',
  apiVersion: 'v1',
  kind: 'Binding',
};

/**
 * Issues a token of the service account, which is valid until it expires: a token whose answer is lost is nobody's.
 *
 * The client logs nothing of an answer. Whoever was issued the token keeps it out of its own words, as with `createSecretValues`: it is not among the secrets of the process, of which
 * it would push others out where there are many.
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
