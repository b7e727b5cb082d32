import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { ClusterApi, WatchEvent } from './cluster-api.ts';
import type { Contestant } from './figures.ts';

/** How large a benchmark is in one respect; becomes a flag of its name. */
interface Size {
  readonly default: number;
  /** For `--help`, without a dot at the end. */
  readonly description: string;
}

/** When the work of a round is done, as a watch from outside sees it. */
export interface Goal {
  readonly resource: ApiResource<KubernetesObject>;
  /**
   * What the watch carries: `metadata` costs the API server and the bench least, `object` is for goals that metadata does
   * not show.
   */
  readonly watched: 'metadata' | 'object';
  /** The work is done when this many different objects have reached the goal. */
  readonly objects: number;
  /** Whether the event shows its object at the goal. Sees every event from before the contestant starts. */
  reached(event: WatchEvent): boolean;
}

/** One race: the work, and who does it. What all races share (rounds, measuring, table) is elsewhere. */
export interface Benchmark<Name extends string = string> {
  readonly name: string;
  /** One line for `--help`, without a dot at the end. */
  readonly summary: string;
  readonly sizes: Readonly<Record<Name, Size>>;
  /** Admission plugins that would do the work before a contestant can, named as kube-apiserver names them. */
  readonly disabledAdmissionPlugins: readonly string[];
  readonly holdfast: {
    /** Folder below `apps/`. */
    readonly app: string;
    /** Beyond those that every app is started with. */
    readonly flags: readonly string[];
    /**
     * Starts what the app works with besides the cluster, for all rounds. Default: nothing.
     *
     * @param folder absolute path, of its own.
     * @returns the flags by which the app finds it.
     */
    readonly open?: (
      folder: string,
    ) => Promise<{ readonly flags: readonly string[]; readonly close: () => Promise<void> }>;
  };
  readonly upstream: {
    /** As in kube-controller-manager's `--controllers`. */
    readonly controllers: readonly string[];
    /** Beyond those that kube-controller-manager is always started with. */
    readonly flags: readonly string[];
  };
  /**
   * Brings the cluster to where the work is still to be done, from an empty cluster and from wherever a round has left it,
   * a failed one included. No contestant runs meanwhile.
   *
   * @param contestant who runs next, where the two do the same work on objects of different kinds.
   */
  prepare(api: ClusterApi, sizes: Readonly<Record<Name, number>>, contestant: Contestant): Promise<void>;
  /**
   * Sets the work off once the contestant has started and is at rest; wall time counts from here. Default: the work waits from
   * the beginning, and the start of the contestant's process sets it off.
   */
  setOff?(api: ClusterApi, sizes: Readonly<Record<Name, number>>): Promise<void>;
  goal(sizes: Readonly<Record<Name, number>>): Goal;
}
