import type { FeatureGates, PersistentVolumeClaim, Pod, StatefulSet } from '@holdfast/core';
import type { GateName, WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';

/** A StatefulSet and all that decides on its claims, as it was read at one time. */
export interface World {
  /** The kind of the set: StatefulSets of `apps`, or what statefulset-pvc-retention looks after beside them. */
  readonly resource: WorkloadResource;
  readonly set: StatefulSet;
  /** The claims that are named after its templates, whatever their ordinals, by name. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  /** All pods of its namespace that are the set's, or name one of these claims. */
  readonly pods: readonly Pod[];
  /** Claims of these names are made by another set as well, be it of another kind. */
  readonly shared: ReadonlySet<string>;
  /** Kinds of sets that could not be listed, and might make claims of these names. */
  readonly unread: readonly WorkloadResource[];
  /**
   * Whether an owner of a claim lives, by its UID. Owners that are not in here are the set, its claims, and pods of {@link World.pods};
   * any other is gone.
   */
  readonly owners: ReadonlyMap<string, OwnerState>;
  /** Milliseconds since 1970, by the clock that is ahead: undo windows begin by that. */
  readonly now: number;
}

/** `leaving`: it is being deleted, or goes with the set; when it is gone nobody knows. `unknown`: it could not be looked for. */
export type OwnerState = 'lives' | 'gone' | 'leaving' | 'unknown';

/** As one course of things takes it. */
export type PlayedOwnerState = Extract<OwnerState, 'lives' | 'gone'>;

/** Who carries out retention policies in a cluster. */
export interface Retainers {
  /** kube-controller-manager, gate StatefulSetAutoDeletePVC. `unknown`: nothing shows it. */
  readonly stock: 'atWork' | 'absent' | 'unknown';
  /** The gates of statefulset-pvc-retention; `gatesUnknown`: it is at work, by what flags is not known; `absent`: it is not; `unknown`: that could not be seen. */
  readonly holdfast: HoldfastGates | 'gatesUnknown' | 'absent' | 'unknown';
}

export type HoldfastGates = FeatureGates<GateName>;

/** What somebody is about to do to a set. */
export type Action =
  | { readonly kind: 'scale'; readonly replicas: number }
  | { readonly kind: 'delete'; readonly cascade: Cascade };

export type Cascade = 'background' | 'foreground' | 'orphan';
