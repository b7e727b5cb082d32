import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { ClusterApi, WatchEvent } from './cluster-api.ts';

/** One dimension of a benchmark's size, which becomes a flag of that name. */
interface Size {
  readonly default: number;
  /** For `--help`, without a full stop. */
  readonly description: string;
}

/** Defines when the work of a round is done, as seen by a watch. */
export interface Goal {
  readonly resource: ApiResource<KubernetesObject>;
  /**
   * What the watch delivers: `metadata` is cheapest for the API server and the bench; `object` is for goals
   * that metadata does not show.
   */
  readonly watched: 'metadata' | 'object';
  /** The work is done when this many different objects have reached the goal. */
  readonly objects: number;
  /**
   * Whether the event shows its object at the goal. Called for every event since before the contestant's
   * start.
   */
  reached(event: WatchEvent): boolean;
}

/** The program that does the work in an upstream cluster. */
export type Upstream =
  | {
      readonly program: 'kube-controller-manager';
      /** As in its `--controllers`. */
      readonly controllers: readonly string[];
    }
  | { readonly program: 'csi-provisioner' };

/** Returns what the reports call it: the controllers of kube-controller-manager, or the program. */
export function namesOf(upstream: Upstream): readonly string[] {
  return upstream.program === 'kube-controller-manager' ? upstream.controllers : [upstream.program];
}

/**
 * One race: the work, and the contestants. Everything that races have in common (rounds, measuring, tables)
 * is elsewhere.
 */
export interface Benchmark<Name extends string = string> {
  readonly name: string;
  /** One line for `--help`, without a full stop. */
  readonly summary: string;
  readonly sizes: Readonly<Record<Name, Size>>;
  /** Admission plugins that would do the work before a contestant can, by kube-apiserver's names. */
  readonly disabledAdmissionPlugins: readonly string[];
  /**
   * Starts, for all rounds, what the contestants work with outside the cluster. Default: nothing.
   *
   * @param folder absolute path of a folder for this alone
   * @returns the flags by which both contestants find it
   */
  readonly open?: (
    folder: string,
  ) => Promise<{ readonly flags: readonly string[]; readonly close: () => Promise<void> }>;
  readonly holdfast: {
    /** The folder below `apps/`. */
    readonly app: string;
    /** Flags in addition to those that every app gets. */
    readonly flags: readonly string[];
  };
  readonly upstream: Upstream;
  /**
   * Brings the cluster into the state in which the work is still to be done, from an empty cluster or from
   * whatever state a round has left, even a failed one. No contestant runs in the meantime.
   */
  prepare(api: ClusterApi, sizes: Readonly<Record<Name, number>>): Promise<void>;
  /**
   * Starts the work once the contestant is running and idle; wall time counts from here. Default: the work is
   * waiting from the beginning, and starting the contestant's process starts it.
   */
  setOff?(api: ClusterApi, sizes: Readonly<Record<Name, number>>): Promise<void>;
  goal(sizes: Readonly<Record<Name, number>>): Goal;
}
