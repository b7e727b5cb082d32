import type { FeatureGates, PersistentVolumeClaim, Pod, StatefulSet } from '@holdfast/core';
import type { GateName, WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import type { SeenWait } from './vacancy-wait.ts';

/** A StatefulSet and everything that decides about its claims, read at about the same time. */
export interface World {
  /** The kind of the set: StatefulSets of `apps`, or another kind that statefulset-pvc-retention manages. */
  readonly resource: WorkloadResource;
  readonly set: StatefulSet;
  /** The claims with names of its templates' form, whatever their ordinals, by name. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  /** All pods of its namespace that belong to the set, or name one of these claims. */
  readonly pods: readonly Pod[];
  /** The names of claims that another set, possibly of another kind, makes, too. */
  readonly shared: ReadonlySet<string>;
  /** Kinds of sets that could not be listed, and that might make claims of these names. */
  readonly unread: readonly WorkloadResource[];
  /**
   * The state of a claim's owners, by UID. Owners that are missing here are the set, its claims, and pods of
   * {@link World.pods}; any other missing owner is gone.
   */
  readonly owners: ReadonlyMap<string, OwnerState>;
  /** The later of the two clocks' times, by which undo windows are measured. Milliseconds since 1970. */
  readonly now: number;
}

/**
 * `leaving`: it is being deleted, or goes with the set, at an unknown time. `unknown`: it could not be looked
 * up.
 */
export type OwnerState = 'lives' | 'gone' | 'leaving' | 'unknown';

/** The state that one course assumes. */
export type PlayedOwnerState = Extract<OwnerState, 'lives' | 'gone'>;

/** Which controllers carry out retention policies in a cluster. */
export interface Retainers {
  /** kube-controller-manager, gate StatefulSetAutoDeletePVC. `unknown` if nothing shows it. */
  readonly stock: 'atWork' | 'absent' | 'unknown';
  /**
   * The gates of statefulset-pvc-retention. `gatesUnknown`: it is at work, but its flags are not known;
   * `absent`: it is not at work; `unknown`: neither could be determined.
   */
  readonly holdfast: HoldfastGates | 'gatesUnknown' | 'absent' | 'unknown';
  /** Until when statefulset-pvc-retention deletes nothing that waits for its time. Default: it does not wait. */
  readonly wait?: SeenWait;
}

export type HoldfastGates = FeatureGates<GateName>;

/** What a user is about to do to a set. */
export type Action =
  | { readonly kind: 'scale'; readonly replicas: number }
  | { readonly kind: 'delete'; readonly cascade: Cascade };

export type Cascade = 'background' | 'foreground' | 'orphan';
