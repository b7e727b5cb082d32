import type { Benchmark } from '../benchmark.ts';
import type { Arena } from '../round.ts';

/** What a trial has found in one round. */
export interface TrialFigure {
  /** The same in every round. */
  readonly title: string;
  readonly value: number;
  readonly unit: 'seconds' | 'milliseconds' | 'bytes' | 'times' | 'count';
  /** The most that is aimed at, in the same unit. Default: no aim. */
  readonly aim?: number;
}

/** Where a trial is held. */
export interface TrialStage {
  readonly arena: Arena;
  /** Absolute path of an app's bundle. @throws for an app that the trial does not name. */
  bundleOf(app: string): string;
  /** Told what is done at the moment. */
  readonly say: (line: string) => void;
}

/** An app measured by itself, where there is no rival: against an aim, or against itself in other circumstances. */
export interface Trial<Name extends string = string> {
  readonly name: string;
  /** One line for `--help`, without a dot at the end. */
  readonly summary: string;
  readonly sizes: Benchmark<Name>['sizes'];
  /** Folders below `apps/`. */
  readonly apps: readonly string[];
  /** Of kube-apiserver, as it names them. */
  readonly disabledAdmissionPlugins: readonly string[];
  /** One round, from an empty cluster and from wherever a round has left it. @throws when an app ends, or does not do its work. */
  measure(stage: TrialStage, sizes: Readonly<Record<Name, number>>): Promise<readonly TrialFigure[]>;
}
