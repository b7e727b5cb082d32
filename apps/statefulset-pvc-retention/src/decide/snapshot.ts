import type { PersistentVolumeClaim } from '@holdfast/core';

export type Retention = 'Retain' | 'Delete';

export interface Policy {
  readonly whenDeleted: Retention;
  readonly whenScaled: Retention;
}

/** What a workload (a StatefulSet, or a similar kind) says about the claim of one ordinal. */
export interface WorkloadFacts extends Policy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Milliseconds since 1970, by the API server's clock; undefined if it is not known. */
  readonly createdAt: number | undefined;
  /** `orphaning`: its dependents are to survive it. */
  readonly deletion: 'none' | 'orphaning' | 'underWay';
  /**
   * What the field of a StatefulSet says, which a stock controller might carry out too; undefined if there is
   * no such field.
   */
  readonly field: Policy | undefined;
  /** Whether the ordinal should have a pod; otherwise it is condemned. */
  readonly wanted: boolean;
  /**
   * The undo window in milliseconds; undefined if none is requested. `unusable`: one is requested but cannot
   * be parsed or kept, so nothing is deleted.
   */
  readonly grace: number | 'unusable' | undefined;
  /** The same for claims that are deleted with the workload. */
  readonly deletionGrace: number | 'unusable' | undefined;
}

/** The pod with the ordinal's name. */
export interface PodFacts {
  readonly uid: string;
  /** Whether the workload of this snapshot, by UID, controls it. */
  readonly ofWorkload: boolean;
  /** Whether it might have ended before the policy that counts now, if it is gone; see `LastPods`. */
  readonly isInDoubt?: boolean;
}

/** What the API server itself returned a moment ago. */
export interface Live {
  /** Undefined if there is none of this name. */
  readonly workload: WorkloadFacts | undefined;
  /** `notAsked` unless the decision requested it. */
  readonly pod: PodFacts | 'gone' | 'notAsked';
  /** Whether any pod names the claim. `notAsked` unless the decision requested it. */
  readonly inUse: boolean | 'notAsked';
  /**
   * Whether another workload makes claims of this name; `unseen`: one might, of a kind that cannot be read at
   * the moment. `notAsked` unless the decision asked for users.
   */
  readonly rival: 'none' | 'there' | 'unseen' | 'notAsked';
}

/**
 * Whether the stock StatefulSet controller (kube-controller-manager) carries out the policies too, by default
 * from Kubernetes 1.27 on. `unknown`: nothing has shown it yet.
 */
export type StockController = 'absent' | 'unknown' | 'atWork';

/** What is wrong with a claim's references, and is left to the stock controller. */
export interface Left {
  /**
   * UID of the owner that the claim should have; `none` if it should have none of ours; `mark` or `tie` if it
   * lacks that.
   */
  readonly wanted: string;
  /** For how long it has been left, in milliseconds. */
  readonly for: number;
}

/** Everything that the decision on one claim is based on. */
export interface Snapshot {
  readonly claim: PersistentVolumeClaim | undefined;
  /** The name of the ordinal's pod, whether or not that exists. */
  readonly podName: string;
  /** The workload that the claim is named after, from the cache. */
  readonly workload: WorkloadFacts;
  /** Whether another workload makes claims of this name. */
  readonly shared: boolean;
  /** The pod in the cache. */
  readonly pod: PodFacts | undefined;
  /**
   * UID of the ordinal's pod when it was last seen. Undefined unless that pod has gone since, while this
   * claim existed and whenScaled was Delete.
   */
  readonly lastPodUid: string | undefined;
  /** Whether its mark should have been removed since it was written, see `StrayMarks`. */
  readonly markWasStray: boolean;
  /** What is known about the stock controller. */
  readonly stock: StockController;
  /** What is left to it for this claim; undefined if nothing is. */
  readonly left: Left | undefined;
  /** Undefined if nothing was requested yet. */
  readonly live: Live | undefined;
  /** Whether gate StatefulSetAutoDeletePVC is on. */
  readonly enabled: boolean;
  /** Whether gate CollectMissedScaleDown is on. */
  readonly collectMissed: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The same by the API server's clock; undefined if it is not known, and then no deadline has passed. */
  readonly serverNow: number | undefined;
  /** No window is over before this time, in milliseconds since 1970; undefined: each ends at its own time. */
  readonly noneOverBefore: number | undefined;
}
