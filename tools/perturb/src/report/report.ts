import type { Outcome, PerturbationKind } from '@holdfast/testing/perturbation';

/** What was played of an app, and the results. */
export interface Report {
  readonly app: string;
  /** The number of runs with two perturbations; 0 if the runs had one. */
  readonly pairs: number;
  /** The seed that chose the pairs. */
  readonly seed?: number;
  /** The number of planned runs. Fewer were played if the campaign was ended early. */
  readonly planned: number;
  readonly scenarios: readonly ReportedScenario[];
  /** Sorted by the length of the trace, the shortest first. */
  readonly failures: readonly ReportedFailure[];
}

export interface ReportedScenario {
  readonly name: string;
  readonly description: string;
  /** The number of places that were learned. */
  readonly requests: number;
  readonly writes: number;
  readonly events: number;
  /** Places that did not occur in both undisturbed runs. */
  readonly unstable: readonly string[];
  /** The number of possible perturbations. */
  readonly perturbations: number;
  readonly runs: readonly ReportedRun[];
}

export interface ReportedRun {
  /** The numbers of the perturbations in the scenario. */
  readonly numbers: readonly number[];
  readonly kinds: readonly PerturbationKind[];
  readonly outcome: Outcome;
  readonly isReached: boolean;
  /** How many times a process ended by itself. */
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

/** The results of a scenario's runs with one kind of perturbation. */
export interface Count {
  readonly runs: number;
  readonly failed: number;
  /** The number of runs in which a perturbation did not reach its place. */
  readonly missed: number;
}

export function countRuns(runs: readonly ReportedRun[]): Count {
  return {
    runs: runs.length,
    failed: runs.filter(({ outcome }) => outcome !== 'held').length,
    missed: runs.filter(({ isReached }) => !isReached).length,
  };
}
