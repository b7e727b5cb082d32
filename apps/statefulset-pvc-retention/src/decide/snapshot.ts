import type { PersistentVolumeClaim } from '@holdfast/core';

export type Retention = 'Retain' | 'Delete';

export interface Policy {
  readonly whenDeleted: Retention;
  readonly whenScaled: Retention;
}

/** What a workload (a StatefulSet, or a kind like it) says of the claim of one ordinal. */
export interface WorkloadFacts extends Policy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Milliseconds since 1970, by the API server's clock; undefined: not known. */
  readonly createdAt: number | undefined;
  /** `orphaning`: its dependents are to survive it. */
  readonly deletion: 'none' | 'orphaning' | 'underWay';
  /** What the field of a StatefulSet says, which a stock controller might carry out as well; undefined: there is no such field. */
  readonly field: Policy | undefined;
  /** The ordinal is to have a pod; otherwise it is condemned. */
  readonly wanted: boolean;
  /** Undo window, milliseconds; undefined: none is asked for. `unusable`: one is, but can't be read or kept, so nothing is deleted. */
  readonly grace: number | 'unusable' | undefined;
  /** The same for claims that go with the workload. */
  readonly deletionGrace: number | 'unusable' | undefined;
}

/** The pod that has the ordinal's name. */
export interface PodFacts {
  readonly uid: string;
  /** The workload of this snapshot, by UID, controls it. */
  readonly ofWorkload: boolean;
}

/** What the API server itself said, a moment ago. */
export interface Live {
  /** Undefined: there is none of this name. */
  readonly workload: WorkloadFacts | undefined;
  /** `notAsked` unless the decision asked for it. */
  readonly pod: PodFacts | 'gone' | 'notAsked';
  /** Whether any pod names the claim. `notAsked` unless the decision asked for it. */
  readonly inUse: boolean | 'notAsked';
  /**
   * Whether another workload makes claims of this very name; `unseen`: one might, of a kind that can't be read at the moment. `notAsked` unless
   * the decision asked for users.
   */
  readonly rival: 'none' | 'there' | 'unseen' | 'notAsked';
}

/**
 * Whether the stock StatefulSet controller (kube-controller-manager) carries out the policies as well: by default from Kubernetes 1.27 on.
 * `unknown`: nothing was seen yet that shows it.
 */
export type StockController = 'absent' | 'unknown' | 'atWork';

/** What is wrong with a claim's references, and is left to the stock controller. */
export interface Left {
  /** UID of the owner that the claim should have; `none`: it should have none of ours; `mark`, `tie`: that it lacks. */
  readonly wanted: string;
  /** For how long already, milliseconds. */
  readonly for: number;
}

/** All that the decision on one claim rests on. */
export interface Snapshot {
  readonly claim: PersistentVolumeClaim | undefined;
  /** Of the ordinal, whether or not there is such a pod. */
  readonly podName: string;
  /** The workload that the claim is named after, as the cache has it. */
  readonly workload: WorkloadFacts;
  /** Another workload makes claims of this very name. */
  readonly shared: boolean;
  /** As the cache has it. */
  readonly pod: PodFacts | undefined;
  /**
   * UID of the ordinal's pod when it was last seen. Undefined unless that pod has gone since, while this claim was there and
   * whenScaled was Delete.
   */
  readonly lastPodUid: string | undefined;
  /** What is known of the stock controller. */
  readonly stock: StockController;
  /** What is left to it of this claim; undefined: nothing. */
  readonly left: Left | undefined;
  /** Undefined: nothing was asked yet. */
  readonly live: Live | undefined;
  /** Gate StatefulSetAutoDeletePVC. */
  readonly enabled: boolean;
  /** Gate CollectMissedScaleDown. */
  readonly collectMissed: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The same by the API server's clock; undefined: not known, so that no deadline has passed. */
  readonly serverNow: number | undefined;
}
