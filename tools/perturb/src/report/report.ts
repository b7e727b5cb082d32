import type { Outcome, PerturbationKind } from '@holdfast/testing/perturbation';

/** What was played of an app, and what came of it. */
export interface Report {
  readonly app: string;
  /** Runs with two perturbations; 0: with one. */
  readonly pairs: number;
  /** That chose the pairs. */
  readonly seed?: number;
  /** Runs that were to be played; fewer were, when it was ended early. */
  readonly planned: number;
  readonly scenarios: readonly ReportedScenario[];
  /** The one with the shortest trace first. */
  readonly failures: readonly ReportedFailure[];
}

export interface ReportedScenario {
  readonly name: string;
  readonly description: string;
  /** Places learned. */
  readonly requests: number;
  readonly writes: number;
  readonly events: number;
  /** Places that were not in both of the undisturbed runs. */
  readonly unstable: readonly string[];
  /** Perturbations that there are. */
  readonly perturbations: number;
  readonly runs: readonly ReportedRun[];
}

export interface ReportedRun {
  /** Of the perturbations, in the scenario. */
  readonly numbers: readonly number[];
  readonly kinds: readonly PerturbationKind[];
  readonly outcome: Outcome;
  readonly isReached: boolean;
  /** How often a process ended by itself. */
  readonly ownEnds: number;
}

export interface ReportedFailure {
  readonly scenario: string;
  readonly kinds: readonly PerturbationKind[];
  readonly perturbations: readonly string[];
  readonly outcome: Outcome;
  readonly problem: string;
  readonly trace: readonly string[];
  /** The command that plays it again. */
  readonly replay: string;
}

/** What came of the runs of a scenario by a kind of perturbation. */
export interface Count {
  readonly runs: number;
  readonly failed: number;
  /** Runs in which a perturbation did not come to its place. */
  readonly missed: number;
}

export function countRuns(runs: readonly ReportedRun[]): Count {
  return {
    runs: runs.length,
    failed: runs.filter(({ outcome }) => outcome !== 'held').length,
    missed: runs.filter(({ isReached }) => !isReached).length,
  };
}
