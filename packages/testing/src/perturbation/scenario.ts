import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';
import type { EmbeddedControlPlane, EmbeddedControlPlaneOptions } from '../embedded-control-plane.ts';
import type { Outside } from './outside.ts';
import type { WorldChange, WorldState } from './world-state.ts';

/** What users and the rest of the cluster do, and what must hold whatever happens to the operator meanwhile. */
export interface Scenario<F extends Furniture = Furniture> {
  /** Short, without spaces: it is a value of a flag. */
  readonly name: string;
  /** In a sentence, for reports. */
  readonly description: string;
  /** Of the API server. Always without TLS. */
  readonly plane?: Omit<EmbeddedControlPlaneOptions, 'tls' | 'faults' | 'port'>;
  /**
   * Starts what lives in the cluster besides the operator, such as stand-ins for the stock controllers. Default: nothing.
   *
   * @param outside for what serves the operator and is not the API server.
   */
  furnish?(plane: EmbeddedControlPlane, outside: Outside): Promise<F>;
  /** Makes what is there before the operator starts. Default: nothing. */
  prepare?(cluster: Cluster, furniture: F): Promise<void>;
  /** Flags of the operator on top of its own. Default none. */
  args?(furniture: F): readonly string[];
  /** One after the other, each when the world has come to rest after the one before. */
  readonly steps: readonly Step<F>[];
  /** Judged at every change of the server's state, in the order of revisions. */
  readonly invariants: readonly Invariant<F>[];
  /**
   * An object as it counts for the end, where that is not the object as it is; undefined leaves it out. Uids, times and versions are made alike
   * already, and Events and Leases do not count. Default: the object.
   */
  project?(object: KubernetesObject): unknown;
  /**
   * Why an operator that was kept from a change when the next step began may rightly come to another end. Its states are still judged. Default: it
   * must come to the same end after the last step, whatever it missed.
   */
  readonly mayEndOtherwise?: string;
  /** Whatever else counts for the end, such as what is left on a storage. Default: nothing. */
  remains?(furniture: F): Promise<unknown>;
}

export interface Step<F extends Furniture = Furniture> {
  /** As `delete the claim`. */
  readonly name: string;
  /**
   * What the user or the cluster does. Where it throws in a perturbed run, as the API server might refuse what the operator has not made room
   * for yet, it is done again when the world has come to rest, up to three times.
   */
  act(cluster: Cluster, furniture: F): Promise<void>;
}

/** What must hold at every state of the server. */
export interface Invariant<F extends Furniture = Furniture> {
  /** As a sentence that holds: `a claim that a pod uses is never gone`. */
  readonly name: string;
  /** @returns what is wrong with the state after the change, or undefined. */
  breach(change: WorldChange, state: WorldState, circumstances: Circumstances<F>): string | undefined;
}

/** What an invariant might have to know besides the state of the server. */
export interface Circumstances<F extends Furniture = Furniture> {
  readonly furniture: F;
  /** A watch of the operator stood still when the step began. What it could not know of, only a live look could have shown it. */
  readonly isBlind: boolean;
}

/** What lives in the cluster besides the operator. */
export interface Furniture {
  /** Resolves when none of it has anything left to do. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** A new object; the API server adds the rest of the metadata. */
export interface Draft {
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The hand of the cluster admin, past the proxy. Each throws what the API server answers when that is no success. */
export interface Cluster {
  create(
    resource: ApiResource<KubernetesObject>,
    draft: Draft,
    namespace?: string,
  ): Promise<KubernetesObject>;
  /** Undefined when there is none. */
  find<T extends KubernetesObject>(resource: ApiResource<T>, ref: ObjectRef): Promise<T | undefined>;
  /** A JSON merge patch. */
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
  /** Puts a pod on a node. */
  bind(pod: ObjectRef, node: string): Promise<void>;
}
