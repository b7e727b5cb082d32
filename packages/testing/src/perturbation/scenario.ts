import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';
import type { EmbeddedControlPlane, EmbeddedControlPlaneOptions } from '../embedded-control-plane.ts';
import type { Outside } from './outside.ts';
import type { WorldChange, WorldState } from './world-state.ts';

/**
 * What users and the rest of the cluster do, and what must hold whatever happens to the operator in the
 * meantime.
 */
export interface Scenario<F extends Furniture = Furniture> {
  /** A short name without spaces: it is used as the value of a flag. */
  readonly name: string;
  /** One sentence for reports. */
  readonly description: string;
  /** Options of the API server, which is always served without TLS. */
  readonly plane?: Omit<EmbeddedControlPlaneOptions, 'tls' | 'faults' | 'port'>;
  /**
   * Starts what lives in the cluster in addition to the operator, such as stand-ins for the stock
   * controllers. Default: nothing.
   *
   * @param outside for systems other than the API server that serve the operator
   */
  furnish?(plane: EmbeddedControlPlane, outside: Outside): Promise<F>;
  /** Creates what exists before the operator starts. Default: nothing. */
  prepare?(cluster: Cluster, furniture: F): Promise<unknown>;
  /** Flags of the operator in addition to its own. Default none. */
  args?(furniture: F): readonly string[];
  /** Played one after the other; each begins when the world has come to rest after the previous one. */
  readonly steps: readonly Step<F>[];
  /** Checked at every change of the server's state, in order of revision. */
  readonly invariants: readonly Invariant<F>[];
  /**
   * Returns the form of an object that is compared at the end; undefined leaves the object out. UIDs, times
   * and versions are already normalized, and Events and Leases are already left out. Default: the object as
   * it is.
   */
  project?(object: KubernetesObject): unknown;
  /**
   * Gives the reason why an operator that was kept from a change when the next step began may legitimately
   * reach another end; every state on the way is still checked. Default: the operator must reach the same end
   * after the last step, whatever it has missed.
   */
  readonly mayEndOtherwise?: string;
  /** Returns whatever else is compared at the end, such as what is left on a storage. Default: nothing. */
  remains?(furniture: F): Promise<unknown>;
}

export interface Step<F extends Furniture = Furniture> {
  /** What happens, for example `delete the claim`. */
  readonly name: string;
  /**
   * Does what the user or the cluster does. In a perturbed run the API server might refuse it, because the
   * operator has not made room for it yet. So if this throws, it is repeated when the world has come to rest,
   * up to three times. What it resolves to does not matter.
   */
  act(cluster: Cluster, furniture: F): Promise<unknown>;
}

/** What must hold at every state of the server. */
export interface Invariant<F extends Furniture = Furniture> {
  /** A sentence that states it: `a claim that a pod uses is never gone`. */
  readonly name: string;
  /** @returns what is wrong with the state after the change; undefined if nothing is */
  breach(change: WorldChange, state: WorldState, circumstances: Circumstances<F>): string | undefined;
}

/** What an invariant might need to know in addition to the state of the server. */
export interface Circumstances<F extends Furniture = Furniture> {
  readonly furniture: F;
  /**
   * Whether a watch of the operator was held back when the step began. Only a live read could have shown the
   * operator what it missed.
   */
  readonly isBlind: boolean;
}

/** What lives in the cluster in addition to the operator. */
export interface Furniture {
  /** Resolves when all of it is idle. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** A new object; the API server adds the rest of the metadata. */
export interface Draft {
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/**
 * A client with the rights of a cluster admin, which bypasses the proxy. Each method throws the API server's
 * answer if it is an error.
 */
export interface Cluster {
  create(
    resource: ApiResource<KubernetesObject>,
    draft: Draft,
    namespace?: string,
  ): Promise<KubernetesObject>;
  /** Undefined if there is no such object. */
  find<T extends KubernetesObject>(resource: ApiResource<T>, ref: ObjectRef): Promise<T | undefined>;
  /** Sends a JSON merge patch. */
  merge(
    resource: ApiResource<KubernetesObject>,
    ref: ObjectRef,
    patch: object,
    subresource?: string,
  ): Promise<void>;
  delete(
    resource: ApiResource<KubernetesObject>,
    ref: ObjectRef,
    options?: {
      readonly gracePeriodSeconds?: number;
      readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
    },
  ): Promise<void>;
  /** Binds a pod to a node. */
  bind(pod: ObjectRef, node: string): Promise<void>;
}
