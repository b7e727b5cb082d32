import type { Benchmark } from '../benchmark.ts';
import type { Arena } from '../round.ts';

/** One result of a trial in one round. */
export interface TrialFigure {
  /** The title, which is the same in every round. */
  readonly title: string;
  readonly value: number;
  readonly unit: 'seconds' | 'milliseconds' | 'bytes' | 'times' | 'count';
  /** The aim: the largest acceptable value, in the same unit. Default: no aim. */
  readonly aim?: number;
}

/** Where a trial is run. */
export interface TrialStage {
  readonly arena: Arena;
  /**
   * Returns the absolute path of an app's bundle.
   *
   * @throws for an app that the trial does not name
   */
  bundleOf(app: string): string;
  /** Called with what is being done. */
  readonly say: (line: string) => void;
}

/**
 * A measurement of a single app without a rival: against an aim, or against itself in other circumstances.
 */
export interface Trial<Name extends string = string> {
  readonly name: string;
  /** One line for `--help`, without a full stop. */
  readonly summary: string;
  readonly sizes: Benchmark<Name>['sizes'];
  /** Folders below `apps/`. */
  readonly apps: readonly string[];
  /** By kube-apiserver's names. */
  readonly disabledAdmissionPlugins: readonly string[];
  /**
   * Runs one round, from an empty cluster or from whatever state a round has left.
   *
   * @throws if an app ends, or does not do its work
   */
  measure(stage: TrialStage, sizes: Readonly<Record<Name, number>>): Promise<readonly TrialFigure[]>;
}
